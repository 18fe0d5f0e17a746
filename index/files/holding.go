package files

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/index/contents"
)

// holding is the contents of files as far as a query asks for them: see Asked.
type holding struct {
	*contents.Found
	words   []contents.Term // of the query's words, in their order
	symbols []contents.Term // of the identifiers that it names
	names   []contents.Term // of the files and modules that it names
	place   []int32         // of Found.Paths among the paths of the model; -1: it is no candidate
}

// Limits for the files that only their contents make candidates.
const (
	mostHolding  = 100 // files that hold the most of the query's words
	mostDefining = 20  // files that define an identifier, or have a name: more say nothing
)

// newHolding sorts what was found by what it was asked for. The words that do not count are left
// out.
func newHolding(q *Query, found *contents.Found) *holding {
	h := &holding{Found: found}
	asked := Words(q.named)
	at := make(map[uint32]int, len(asked))
	for i, w := range asked {
		at[w.Stem] = i
	}
	h.words = make([]contents.Term, len(q.words))
	for i, w := range q.words {
		if n, ok := at[w.Stem]; ok {
			h.words[i] = found.Terms[n]
		}
	}
	rest := found.Terms[len(asked):]
	h.symbols, h.names = rest[:len(q.named.Symbols)], rest[len(q.named.Symbols):]
	return h
}

// candidates returns the files that memory need not name to be candidates, as places in Paths: those
// that a name leads to, and those that hold the most of the query's words.
func (h *holding) candidates(q *Query) []int {
	wanted := make([]bool, len(h.Paths))
	for _, t := range slices.Concat(h.symbols, h.names) {
		if len(t.Held) <= mostDefining {
			for _, n := range t.Held {
				wanted[n] = true
			}
		}
	}
	x := h.bm25(q, h.Held, h.MeanHeld, func(t contents.Term) []int { return t.Held }, func(word) bool { return true })
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[b], x[a]), strings.Compare(h.Paths[a], h.Paths[b])) })
	for _, n := range order[:min(len(order), mostHolding)] {
		wanted[n] = wanted[n] || x[n] > 0
	}
	var list []int
	for n, is := range wanted {
		if is {
			list = append(list, n)
		}
	}
	return list
}

// bm25 returns BM25 (k1 1.2, b .75) of some words of the query and the distinct stems of each of Paths.
func (h *holding) bm25(q *Query, length []int, mean float64, of func(contents.Term) []int, counts func(word) bool) []float64 {
	x := make([]float64, len(h.Paths))
	for i, t := range h.words {
		if !counts(q.words[i]) {
			continue
		}
		idf := q.words[i].weight * rarity(float64(h.Files), float64(len(of(t))))
		for _, n := range of(t) {
			x[n] += idf * 2.2 / (1 + 1.2*(0.25+0.75*float64(length[n])/max(mean, 1e-9)))
		}
	}
	return x
}
