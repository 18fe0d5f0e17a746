package factrank

import "math"

// The signals of a task that do not belong to a block.
const (
	ownBias    = iota
	ownBest    // BM25 of the best fact
	ownRarest  // rarity of the rarest word that a fact has
	ownKnown   // share of telling words that facts have
	ownStrange // number of telling words that no fact has
	ownFiles   // chance of the likeliest file
	ownLength
	ownSize
	ownAlien // technologies that no fact names
	ownTech  // technologies that facts name
	ownLead  // the text before a colon at the start has a word that no fact has
	ownTitle // share of the first line's telling words that facts have
	ownPlain // number of these signals
)

// OwnCount returns the number of signals of a task.
func OwnCount() int { return ownPlain + len(kinds()) + len(concepts()) }

// own returns the signals of the task, which show whether the memory is about
// its subject.
func (a *asked) own() []Signal {
	x := [ownPlain]float64{
		ownBias:    1,
		ownBest:    math.Log1p(a.best),
		ownStrange: math.Log1p(float64(len(a.strange))),
		ownLength:  math.Log1p(float64(a.count)),
		ownAlien:   math.Log1p(float64(a.alien)),
		ownTech:    math.Log1p(float64(a.tech - a.alien)),
		ownLead:    one(a.lead),
		ownTitle:   a.title.known(),
		ownSize:    math.Log1p(float64(len(a.facts))),
	}
	for i, term := range a.terms {
		x[ownRarest] = max(x[ownRarest], a.idf[term]*one(a.marks[i]&telling != 0))
	}
	x[ownKnown] = a.known()
	for _, f := range a.likely {
		x[ownFiles] = max(x[ownFiles], f.Chance)
	}
	var list []Signal
	for i, v := range x {
		list = append(list, Signal{int32(i), float32(v)})
	}
	for k := range a.text.kinds.list() {
		list = append(list, Signal{int32(ownPlain + k), 1})
	}
	for c, n := range a.hits {
		if n > 0 {
			list = append(list, Signal{int32(ownPlain + len(kinds()) + c), 1})
		}
	}
	return list
}

// known returns the share of a text's telling words that facts have.
func (t *text) known() float64 {
	n := 0.0
	for _, m := range t.marks {
		n += one(m&telling != 0)
	}
	return n / (n + float64(len(t.strange)) + 1)
}
