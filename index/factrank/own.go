package factrank

import "math"

// The plain signals of a task, by which a memory that knows nothing of it is told.
const (
	ownBias = iota
	ownBest
	ownRarest
	ownKnown
	ownStrange
	ownFiles
	ownLength
	ownSize
	ownAsks
	ownPlain
)

// OwnNames are the names of the signals of a task.
func OwnNames() []string {
	list := []string{"bias", "best", "rarest", "known", "strange", "files", "length", "size", "asks"}
	return append(append(list, kinds().names...), concepts().names...)
}

func (a *asked) ownSignals() []Signal {
	var x [ownPlain]float64
	x[ownBias] = 1
	known := 0.0
	for i, term := range a.text.terms {
		if a.text.telling[i] {
			known++
			x[ownRarest] = max(x[ownRarest], a.idf[term])
		}
	}
	x[ownBest] = math.Log1p(a.best)
	x[ownKnown] = known / (known + float64(len(a.text.strange)) + 1)
	x[ownStrange] = math.Log1p(float64(len(a.text.strange)))
	for _, f := range a.Files {
		x[ownFiles] = max(x[ownFiles], f.Chance)
	}
	x[ownLength] = math.Log1p(float64(a.text.count))
	x[ownSize] = math.Log1p(float64(len(a.facts)))
	var out []Signal
	for i, v := range x {
		if v != 0 {
			out = append(out, Signal{int32(i), float32(v)})
		}
	}
	at := ownPlain
	for k := range kinds().names {
		if a.text.kinds.has(k) {
			out = append(out, Signal{int32(at + k), 1})
		}
	}
	at += len(kinds().names)
	for c := range concepts().names {
		if a.text.concepts.has(c) {
			out = append(out, Signal{int32(at + c), 1})
		}
	}
	return out
}
