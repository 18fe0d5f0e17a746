package main

import (
	"fmt"
	"math"
)

// The fit is a logistic regression with a small penalty on the squares of the
// weights of standardised signals, by gradient descent with moments (Adam).
const (
	penalty = 1e-3
	steps   = 200
	rate    = 0.1
	// Questions are few, and count as often as so many tasks.
	questionWeight = 3
)

type weights [len(signals)]float64

func (w weights) chance(x weights) float64 { return 1 / (1 + math.Exp(-w.times(x))) }

func (w weights) times(x weights) (sum float64) {
	for i := range w {
		sum += w[i] * x[i]
	}
	return sum
}

// heldOut gives each hit its chance by weights that were fitted to the tasks of all
// other sets.
func heldOut(tasks []task) {
	by := map[string]weights{}
	for i, t := range tasks {
		w, ok := by[t.set]
		if !ok {
			var others []task
			for _, o := range tasks {
				if o.set != t.set {
					others = append(others, o)
				}
			}
			w = fit(others)
			by[t.set] = w
		}
		for k := range t.hits {
			tasks[i].hits[k].chance = w.chance(t.hits[k].x)
		}
	}
}

// fit returns the weights of the signals as they are.
func fit(tasks []task) weights {
	mean, deviation := spread(tasks)
	var w, m, v weights
	for step := 1; step <= steps; step++ {
		g := gradient(w, tasks, mean, deviation)
		for i := range w {
			m[i], v[i] = 0.9*m[i]+0.1*g[i], 0.999*v[i]+0.001*g[i]*g[i]
			now, square := m[i]/(1-math.Pow(0.9, float64(step))), v[i]/(1-math.Pow(0.999, float64(step)))
			w[i] -= rate * now / (math.Sqrt(square) + 1e-8)
		}
	}
	for i := 1; i < len(w); i++ {
		w[i] /= deviation[i]
		w[0] -= w[i] * mean[i]
	}
	return w
}

func gradient(w weights, tasks []task, mean, deviation weights) (g weights) {
	n := 0.0
	for _, t := range tasks {
		weight := 1.0
		if t.kind == answered || t.kind == none {
			weight = questionWeight
		}
		for _, h := range t.hits {
			x := standard(h.x, mean, deviation)
			off := w.chance(x)
			if h.right {
				off--
			}
			for i := range g {
				g[i] += weight * off * x[i]
			}
			n += weight
		}
	}
	for i := range g {
		g[i] = g[i]/n + 2*penalty*w[i]
	}
	return g
}

func standard(x, mean, deviation weights) weights {
	for i := 1; i < len(x); i++ {
		x[i] = (x[i] - mean[i]) / deviation[i]
	}
	return x
}

func spread(tasks []task) (mean, deviation weights) {
	n := 0.0
	for _, t := range tasks {
		for _, h := range t.hits {
			n++
			for i, x := range h.x {
				mean[i] += x
				deviation[i] += x * x
			}
		}
	}
	for i := range mean {
		mean[i] /= n
		deviation[i] = max(math.Sqrt(max(0, deviation[i]/n-mean[i]*mean[i])), 1e-9)
	}
	return mean, deviation
}

// shownOf says what of the tasks of a kind is shown, as means over their sets (all
// questions are one): those with a hit, those with a right one, the right ones
// among the hits, and tokens a task.
func shownOf(tasks []task, kind string, chance, ofBest float64) string {
	type counts struct{ tasks, some, right, hits, useful, tokens float64 }
	sets := map[string]*counts{}
	for _, t := range tasks {
		if t.kind != kind {
			continue
		}
		set := t.set
		if kind == answered || kind == none {
			set = "questions"
		}
		if sets[set] == nil {
			sets[set] = &counts{}
		}
		c, best, some, right := sets[set], 0.0, 0.0, 0.0
		for _, h := range t.hits {
			best = max(best, h.chance)
		}
		for _, h := range t.hits {
			if h.chance < chance || h.chance < ofBest*best {
				continue
			}
			some = 1
			c.hits++
			c.tokens += float64(h.tokens)
			if h.right {
				right = 1
				c.useful++
			}
		}
		c.tasks, c.some, c.right = c.tasks+1, c.some+some, c.right+right
	}
	var some, right, useful, tokens float64
	for _, c := range sets {
		n := float64(len(sets))
		some, right = some+c.some/c.tasks/n, right+c.right/c.tasks/n
		useful, tokens = useful+c.useful/max(1, c.hits)/n, tokens+c.tokens/c.tasks/n
	}
	return fmt.Sprintf("%.3f %.3f %.3f %.0f", some, right, useful, tokens)
}
