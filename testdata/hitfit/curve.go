package main

import "fmt"

// rule is what decides what is shown: rank.Ranking has its numbers.
type rule struct{ gate, chance, share float64 }

// shown are the hits of a task that a rule shows.
func (r rule) shown(t task) (list []hit) {
	open := t.asks || t.known.chance >= r.gate
	best := 0.0
	for _, h := range t.hits {
		best = max(best, h.chance)
	}
	for _, h := range t.hits {
		if !open && !h.named {
			continue
		}
		if t.asks || h.chance >= r.chance && h.chance >= r.share*best {
			list = append(list, h)
		}
	}
	return list
}

// counts says what of some tasks is shown.
type counts struct{ tasks, some, right, hits, useful, tokens float64 }

func (c *counts) add(t task, shown []hit) {
	c.tasks++
	right := 0.0
	for _, h := range shown {
		c.hits++
		c.tokens += float64(h.tokens)
		if h.right {
			right = 1
			c.useful++
		}
	}
	if len(shown) > 0 {
		c.some++
	}
	c.right += right
}

// of says what a rule shows of the tasks of a kind, as means over the histories; all
// questions are one.
func (r rule) of(tasks []task, kind string, contents bool) string {
	sets := map[string]*counts{}
	for _, t := range tasks {
		if t.kind != kind {
			continue
		}
		set := t.set
		if kind == answered || kind == none {
			set = "questions"
		} else if t.contents != contents {
			continue
		}
		if sets[set] == nil {
			sets[set] = &counts{}
		}
		sets[set].add(t, r.shown(t))
	}
	var mean counts
	for _, c := range sets {
		n := float64(len(sets))
		mean.some += c.some / c.tasks / n
		mean.right += c.right / c.tasks / n
		mean.useful += c.useful / max(1, c.hits) / n
		mean.tokens += c.tokens / c.tasks / n
	}
	switch kind {
	case own, answered:
		return fmt.Sprintf("%.3f %.3f %.3f %4.0f", mean.some, mean.right, mean.useful, mean.tokens)
	}
	return fmt.Sprintf("%.3f %4.0f", mean.some, mean.tokens)
}

func (r rule) print(tasks []task) {
	fmt.Printf("%.2f %.2f %.2f", r.gate, r.chance, r.share)
	for _, contents := range []bool{true, false} {
		fmt.Printf("   %s   %s", r.of(tasks, own, contents), r.of(tasks, foreign, contents))
	}
	fmt.Printf("   %s   %s\n", r.of(tasks, answered, true), r.of(tasks, none, true))
}
