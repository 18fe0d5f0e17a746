package factfit

import (
	"math"
	"math/rand/v2"
	"slices"

	"agentflow/index/factrank"
	"agentflow/internal/words"
)

// Newest shows the facts that were stated last.
func Newest(_ factrank.Task, tokens []int, budget int) []int {
	order := make([]int, len(tokens))
	for i := range order {
		order[i] = len(tokens) - 1 - i
	}
	return fill(order, tokens, budget)
}

// Random shows random facts, and the same ones for the same task.
func Random(task factrank.Task, tokens []int, budget int) []int {
	seed := uint64(len(task.Text))
	for _, c := range []byte(task.Text) {
		seed = seed*31 + uint64(c)
	}
	return fill(rand.New(rand.NewPCG(seed, 1)).Perm(len(tokens)), tokens, budget)
}

// BM25 shows the facts that share the task's stems, by Okapi BM25, and then the newest.
func (m *Memory) BM25() Choose {
	held := map[string]float64{}
	docs := make([][]string, len(m.Facts))
	mean := 0.0
	for i, f := range m.Facts {
		for _, t := range words.Tokenize(f.Text) {
			docs[i] = append(docs[i], words.Stem(t.Text))
		}
		mean += float64(len(docs[i])) / float64(len(m.Facts))
		for _, s := range slices.Compact(slices.Sorted(slices.Values(docs[i]))) {
			held[s]++
		}
	}
	return func(task factrank.Task, tokens []int, budget int) []int {
		scores := make([]float64, len(docs))
		for _, s := range stems(task.Text) {
			idf := math.Log(1 + (float64(len(docs))-held[s]+0.5)/(held[s]+0.5))
			for i, doc := range docs {
				tf := 0.0
				for _, d := range doc {
					if d == s {
						tf++
					}
				}
				scores[i] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(doc))/mean))
			}
		}
		order := Newest(task, make([]int, len(docs)), 0)
		slices.SortStableFunc(order, func(a, b int) int { return -compare(scores[a], scores[b]) })
		return fill(order, tokens, budget)
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// fill returns the facts that fit, in order.
func fill(order, tokens []int, budget int) (shown []int) {
	for _, i := range order {
		if tokens[i] <= budget {
			budget -= tokens[i]
			shown = append(shown, i)
		}
	}
	return shown
}
