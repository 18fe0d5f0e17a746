package files

import (
	"math"

	"agentflow/index/contents"
)

func heldBy(t contents.Term) []int    { return t.Held }
func definedBy(t contents.Term) []int { return t.Defined }

// holds: BM25 (k1 1.2, b .75) of the task and the distinct stems of the
// identifiers in the file. Each stem counts once, by its weight.
func holds(m *model) []float64 {
	return m.inside(func(h *holding) []float64 {
		return h.bm25(m.query, h.Held, h.MeanHeld, heldBy, func(word) bool { return true })
	})
}

// opensWith: the same of the words at the beginning of the task.
func opensWith(m *model) []float64 {
	return m.inside(func(h *holding) []float64 {
		return h.bm25(m.query, h.Held, h.MeanHeld, heldBy, func(w word) bool { return w.Opening })
	})
}

// defines: the same as holds with the names that it defines.
func defines(m *model) []float64 {
	return m.inside(func(h *holding) []float64 {
		return h.bm25(m.query, h.Defined, h.MeanDefined, definedBy, func(word) bool { return true })
	})
}

// symbols: Σ weight · ln(1 + N/n) over the identifiers of the task that the file defines, as n of N
// files do.
func symbols(m *model) []float64 {
	return m.inside(func(h *holding) []float64 {
		x := make([]float64, len(h.Paths))
		for i, t := range h.symbols {
			idf := m.query.named.Symbols[i].Weight * math.Log(1+float64(h.Files)/float64(max(1, len(t.Held))))
			for _, n := range t.Held {
				x[n] += idf
			}
		}
		return x
	})
}

// inside spreads numbers of contents.Paths over the paths of the model.
func (m *model) inside(of func(*holding) []float64) []float64 {
	x := m.zero()
	if m.contents == nil {
		return x
	}
	for n, v := range of(m.contents) {
		if p := m.contents.place[n]; p >= 0 {
			x[p] = v
		}
	}
	return x
}
