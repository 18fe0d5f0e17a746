package factfit

import (
	"slices"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
)

// The penalties on the squares of weights.
const (
	neededPenalty = 1e-3
	ownPenalty    = 1e-2
)

// examples holds the tasks of a set as rows of both models.
type examples struct{ needed, own []row }

// examplesOf returns the examples of a memory. Of the facts that a task does not need, a large
// memory contributes a part, with the weight of all.
func examplesOf(m *Memory) (e examples) {
	matcher := factrank.New(m.Facts)
	every := max(1, len(m.Facts)/50)
	needs := 0
	for number, t := range m.Tasks {
		own, facts := matcher.Signals(t.Task)
		e.own = append(e.own, row{own, t.Kind != factset.Foreign, 1})
		if t.Kind == factset.Foreign {
			continue
		}
		needs += len(t.Needs)
		for i, x := range facts {
			if slices.Contains(t.Needs, i) {
				e.needed = append(e.needed, row{x, true, 1})
			} else if (7*i+13*number)%every == 0 {
				e.needed = append(e.needed, row{x, false, float64(every)})
			}
		}
	}
	for i := range e.needed {
		e.needed[i].weight /= float64(needs)
	}
	return e
}

// fit fits weights to the examples of some sets, with equal weights of all examples.
func fit(list []examples) *factrank.Weights {
	var all examples
	for _, e := range list {
		all.needed = append(all.needed, e.needed...)
		all.own = append(all.own, e.own...)
	}
	return &factrank.Weights{
		Needed: scaled(all.needed, factrank.SignalCount(), neededPenalty),
		Own:    logistic(all.own, factrank.OwnCount(), ownPenalty),
		Gate:   1,
	}
}

// Fit returns the weights fitted to all sets, and for each set those fitted to all others. The
// gate of each is chosen on the other sets, with weights that were not fitted to them.
func Fit(sets []*factset.Set) (all *factrank.Weights, without []*factrank.Weights) {
	list := make([]examples, len(sets))
	for i, s := range sets {
		list[i] = examplesOf(Of(s, len(s.Facts)))
	}
	strongest := make([][]float64, len(sets))
	for i, s := range sets {
		without = append(without, fit(slices.Delete(slices.Clone(list), i, i+1)))
		if len(s.Facts) >= Large {
			strongest[i] = Of(s, len(s.Facts)).strongest(without[i])
		}
	}
	all = fit(list)
	all.Gate = gate(strongest)
	for i := range sets {
		without[i].Gate = gate(slices.Delete(slices.Clone(strongest), i, i+1))
	}
	return all, without
}

// Large exceeds by far the number of facts that the start of a session shows.
const Large = 120

// foreignShare is the share of foreign tasks to which facts are added when the gate is chosen.
const foreignShare = 0.025

// strongest returns, for each foreign task, the highest chance of a fact that the start of
// a session did not show.
func (m *Memory) strongest(w *factrank.Weights) (list []float64) {
	matcher := w.New(m.Facts)
	shown := m.start(matcher)
	for _, t := range m.Tasks {
		if t.Kind != factset.Foreign {
			continue
		}
		best := 0.0
		for i, chance := range matcher.Chances(t.Task) {
			if !shown[i] {
				best = max(best, chance)
			}
		}
		list = append(list, best)
	}
	return list
}

// gate returns the lowest chance that few enough foreign tasks reach.
func gate(strongest [][]float64) float64 {
	all := slices.Concat(strongest...)
	slices.Sort(all)
	return all[len(all)-1-int(foreignShare*float64(len(all)))] + 1e-6
}
