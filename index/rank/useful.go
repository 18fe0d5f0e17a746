package rank

import "math"

// The chance that a hit of a prompt is of use is a logistic model of what it
// shares with the task and of the files that it names. The weights were fitted by
//
//	go run ./testdata/hitfit LOG.jsonl=GITDIR …
//
// to the tasks of five public histories, where a hit is of use that names a file
// which the task touched, to 30 subjects of each of the other four asked of each,
// of which none has an answer, and to the questions in testdata/search. With
// weights fitted without them, the share of hits that are of use to a task is 0.543
// with LeastChance and LeastShare and 0.478 without, a right one is shown for 0.775
// of the tasks (0.782), and for 0.786 of the questions (0.793).
const (
	usefulBias     = 1.21
	usefulEvidence = 0.21 // of the hit's evidence
	usefulShare    = 0.57 // of its share of the best evidence among the hits
	usefulFiles    = 1.05 // of ln(chance of its likeliest file + smallChance)
	usefulNamed    = 0.44 // where it holds a path or identifier of the task
	usefulPathless = 1.66 // where no file that it names is likely, or it names none
	smallChance    = 0.005
)

// Useful notes on each picked hit the chance that it is of use, and returns those
// that go into a prompt, in their order. What a person pinned always does.
func (s *Search) Useful(picked []*Candidate) []*Candidate {
	evidence, best := 0.0, 0.0
	for _, k := range picked {
		evidence = max(evidence, k.Evidence)
	}
	for _, k := range picked {
		k.Chance = k.useful(evidence)
		best = max(best, k.Chance)
	}
	var list []*Candidate
	for _, k := range picked {
		if k.Pinned || k.Dated || k.Chance >= s.LeastChance && k.Chance >= s.LeastShare*best {
			list = append(list, k)
		}
	}
	return list
}

// useful is the chance of a candidate among hits of which the best has so much
// evidence.
func (k *Candidate) useful(best float64) float64 {
	z := usefulBias + usefulEvidence*k.Evidence + usefulShare*share(k.Evidence, best) + usefulFiles*math.Log(k.Agrees+smallChance)
	if len(k.Named) > 0 {
		z += usefulNamed
	}
	if k.Agrees == 0 {
		z += usefulPathless
	}
	return 1 / (1 + math.Exp(-z))
}
