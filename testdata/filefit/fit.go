package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"agentflow/index/files"
)

// The fit is that of a softmax over the candidates of a task against its
// targets, each of which is as right (cross-entropy), with weights that are not
// negative.
const (
	penalty   = 3e-3 // of the squares of the weights
	negatives = 150  // of a task: two thirds the hardest, the others any
	rounds    = 5    // in each of which the hardest are chosen anew
	steps     = 200  // of gradient descent in a round
	rate      = 0.02 // of a step (Adam, Kingma and Ba 2015)
)

// fit returns the weights that fit some of the tasks, each history counting the
// same. It begins with the weights w.
func fit(tasks []task, w files.Weights, counts func(task) bool) files.Weights {
	count := map[string]float64{}
	var own []task
	for _, t := range tasks {
		if counts(t) && slices.ContainsFunc(t.files, func(c candidate) bool { return c.target }) {
			count[t.history]++
			own = append(own, t)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		var list []sample
		for _, t := range own {
			list = append(list, t.sample(w, rng, 1/(count[t.history]*float64(len(count)))))
		}
		w = descend(w, list)
	}
	return w
}

// sample is a task as the fit sees it.
type sample struct {
	files  []candidate
	share  float64 // of a target in what is right
	weight float64 // of the task among all
}

func (t task) sample(w files.Weights, rng *rand.Rand, weight float64) sample {
	s := sample{weight: weight}
	var wrong []candidate
	for _, c := range t.files {
		if c.target {
			s.files = append(s.files, c)
		} else {
			wrong = append(wrong, c)
		}
	}
	s.share = 1 / float64(len(s.files))
	slices.SortStableFunc(wrong, func(a, b candidate) int { return cmp.Compare(score(w, b.features), score(w, a.features)) })
	if hardest := negatives * 2 / 3; len(wrong) > negatives {
		rest := wrong[hardest:]
		rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		wrong = wrong[:negatives]
	}
	s.files = append(s.files, wrong...)
	return s
}

func score(w, x files.Weights) (sum float64) {
	for i := range w {
		sum += w[i] * x[i]
	}
	return sum
}

// descend is gradient descent with moments.
func descend(w files.Weights, list []sample) files.Weights {
	var m, v files.Weights
	for step := 1; step <= steps; step++ {
		g := gradient(w, list)
		for i := range w {
			m[i] = 0.9*m[i] + 0.1*g[i]
			v[i] = 0.999*v[i] + 0.001*g[i]*g[i]
			mean := m[i] / (1 - math.Pow(0.9, float64(step)))
			square := v[i] / (1 - math.Pow(0.999, float64(step)))
			w[i] = max(0, w[i]-rate*mean/(math.Sqrt(square)+1e-8))
		}
	}
	return w
}

func gradient(w files.Weights, list []sample) (g files.Weights) {
	for i := range w {
		g[i] = 2 * penalty * w[i]
	}
	var chance []float64
	for _, s := range list {
		chance = chance[:0]
		best := math.Inf(-1)
		for _, c := range s.files {
			chance = append(chance, score(w, c.features))
			best = max(best, chance[len(chance)-1])
		}
		all := 0.0
		for i := range chance {
			chance[i] = math.Exp(chance[i] - best)
			all += chance[i]
		}
		for n, c := range s.files {
			off := chance[n] / all
			if c.target {
				off -= s.share
			}
			for i := range g {
				g[i] += s.weight * off * c.features[i]
			}
		}
	}
	return g
}
