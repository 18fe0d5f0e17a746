package factrank

import "math"

// The signals of a task that are no part of a block.
const (
	ownBias    = iota
	ownBest    // BM25 of the best fact
	ownRarest  // rarity of the rarest word that a fact has
	ownKnown   // the share of telling words that facts have
	ownStrange // how many telling words no fact has
	ownFiles   // chance of the likeliest file
	ownLength
	ownSize
	ownAlien // technologies that no fact names
	ownTech  // technologies that facts name
	ownLead  // the text before a colon at its start has a word that no fact has
	ownTitle // the share of telling words of the first line that facts have
	ownPlain // how many
)

// OwnCount is how many signals a task can have.
func OwnCount() int { return ownPlain + len(kinds()) + len(concepts()) }

// own are the signals of the task: whether the memory is about it at all.
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

// known is the share of the telling words of a text that facts have.
func (t *text) known() float64 {
	n := 0.0
	for _, m := range t.marks {
		n += one(m&telling != 0)
	}
	return n / (n + float64(len(t.strange)) + 1)
}
