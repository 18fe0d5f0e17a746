package postgres

import (
	"cmp"
	"math"
	"slices"

	"agentflow/index/store"
)

// corpus is what scores depend on beside the document.
type corpus struct {
	documents int64
	tokens    int64 // of all documents
}

// FTS5's constants of BM25: https://www.sqlite.org/fts5.html#the_bm25_function
const (
	k1       = 1.2
	b        = 0.75
	leastIDF = 1e-6
)

// idf is how telling a term is that so many documents hold, as FTS5 has it.
func (c corpus) idf(holding int) float64 {
	n := float64(holding)
	if idf := math.Log((float64(c.documents) - n + 0.5) / (n + 0.5)); idf > leastIDF {
		return idf
	}
	return leastIDF
}

// scorer adds up scores, as FTS5's bm25() does.
type scorer struct {
	corpus
	filesWeight float64
}

// of is what a term adds to the score of a document.
func (s scorer) of(idf float64, p posting) float64 {
	frequency := float64(p.times[0]) + float64(p.times[1]) + s.filesWeight*float64(p.times[2])
	average := float64(s.tokens) / float64(s.documents)
	return idf * (frequency * (k1 + 1)) / (frequency + k1*(1-b+b*float64(p.length)/average))
}

// match answers a question by the postings of its terms: held[i] are those of m.Terms[i],
// sorted by id. passing leaves documents out; nil leaves out none.
func (s scorer) match(m store.Match, held [][]posting, passing func(ids []int64) []int64) map[int64]float64 {
	scores := s.scores(held)
	if passing == nil {
		promising(m, held, scores)
	}
	ids := newest(scores, m.Scored)
	if passing != nil {
		ids = passing(ids)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) })
	if m.Best >= 0 {
		ids = ids[:min(m.Best, len(ids))]
	}
	found := make(map[int64]float64, len(ids))
	for _, id := range ids {
		found[id] = scores[id]
	}
	return found
}

// scores are those of all documents that hold a term.
func (s scorer) scores(held [][]posting) map[int64]float64 {
	scores := map[int64]float64{}
	for _, list := range held {
		idf := s.idf(len(list))
		for _, p := range list {
			scores[p.id] += s.of(idf, p)
		}
	}
	return scores
}

// newest are the n documents with the highest ids; all, when n is negative.
func newest(scores map[int64]float64, n int) []int64 {
	ids := make([]int64, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	if n < 0 || len(ids) <= n {
		return ids
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:n]
}

// promising drops from scores the documents that hold less of the question than the
// m.Promising that hold the most: see store.Match.
func promising(m store.Match, held [][]posting, scores map[int64]float64) {
	if m.Promising <= 0 || len(held) < 2 || m.Leads <= 2*m.Promising || len(scores) <= m.Promising {
		return
	}
	mass := make(map[int64]float64, len(scores))
	for i, list := range held {
		for _, p := range list {
			mass[p.id] += m.Terms[i].IDF
		}
	}
	all := make([]float64, 0, len(mass))
	for _, n := range mass {
		all = append(all, n)
	}
	slices.Sort(all)
	least := all[len(all)-m.Promising]
	for id, n := range mass {
		if n < least {
			delete(scores, id)
		}
	}
}
