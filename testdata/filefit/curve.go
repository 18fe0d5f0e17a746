package main

import (
	"fmt"
	"math"

	"agentflow/index/files"
)

// shown is what a threshold of the chance shows.
type shown struct{ tasks, some, files, right float64 }

// curve prints, for rising thresholds, how much of what is shown is right, and in
// how many of the tasks something is shown; the mean over the histories, with the
// weights of each.
func curve(tasks []task, weights map[string]files.Weights) {
	fmt.Println("shown files: chance at least, precision, share of tasks, files where some are shown")
	for threshold := 0.04; threshold < 0.32; threshold += 0.02 {
		of := map[string]*shown{}
		for _, t := range tasks {
			if of[t.history] == nil {
				of[t.history] = &shown{}
			}
			of[t.history].add(t, weights[t.history], threshold)
		}
		var precision, share, each float64
		for _, s := range of {
			precision += s.right / max(1, s.files) / float64(len(of))
			share += s.some / s.tasks / float64(len(of))
			each += s.files / max(1, s.some) / float64(len(of))
		}
		fmt.Printf("  %.2f  %.3f  %.3f  %.2f\n", threshold, precision, share, each)
	}
}

func (s *shown) add(t task, w files.Weights, threshold float64) {
	s.tasks++
	all, best := 0.0, math.Inf(-1)
	for _, c := range t.files {
		best = max(best, score(w, c.features))
	}
	for _, c := range t.files {
		all += math.Exp(score(w, c.features) - best)
	}
	some := false
	for _, c := range t.files {
		if math.Exp(score(w, c.features)-best)/all >= threshold {
			some = true
			s.files++
			if c.target {
				s.right++
			}
		}
	}
	if some {
		s.some++
	}
}
