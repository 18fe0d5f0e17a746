package postgres

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"agentflow/index/store"
)

// corpus holds the numbers that scores depend on besides the document.
type corpus struct {
	documents int64
	tokens    int64 // of all documents
}

// Constants of FTS5's BM25: https://www.sqlite.org/fts5.html#the_bm25_function
const (
	k1       = 1.2
	b        = 0.75
	leastIDF = 1e-6
)

// idf returns the weight of a term that this many documents hold, computed like
// FTS5.
func (c corpus) idf(holding int) float64 {
	n := float64(holding)
	if idf := math.Log((float64(c.documents) - n + 0.5) / (n + 0.5)); idf > leastIDF {
		return idf
	}
	return leastIDF
}

// scorer adds up scores like FTS5's bm25().
type scorer struct {
	corpus
	filesWeight float64
}

// of returns what a term adds to the score of a document.
func (s scorer) of(idf float64, p posting) float64 {
	frequency := float64(p.times[0]) + float64(p.times[1]) + s.filesWeight*float64(p.times[2])
	average := float64(s.tokens) / float64(s.documents)
	return idf * (frequency * (k1 + 1)) / (frequency + k1*(1-b+b*float64(p.length)/average))
}

// termPostings is a term's postings in one block.
type termPostings struct {
	term int // index of the term in the query
	coded
}

// blocks maps each block to the postings in it of the query's terms.
type blocks map[int64][]termPostings

// scored is a document with its score.
type scored struct {
	id    int64
	score float64
}

// match scores the query and returns the best documents. passing filters
// documents; nil accepts all.
func (s scorer) match(m store.Match, all blocks, passing func(ids []int64) []int64) (map[int64]float64, error) {
	least := 0.0
	if passing == nil {
		var err error
		if least, err = leastMass(m, all); err != nil {
			return nil, err
		}
	}
	list, err := s.scores(m, all, least)
	if err != nil {
		return nil, err
	}
	list = newest(list, m.Scored)
	if passing != nil {
		list = kept(list, passing)
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	if m.Best >= 0 {
		list = list[:min(m.Best, len(list))]
	}
	found := make(map[int64]float64, len(list))
	for _, d := range list {
		found[d.id] = d.score
	}
	return found, nil
}

// scores returns the scores of all documents that hold a term, if the terms
// that they hold have at least the mass least. The documents are in no
// particular order.
func (s scorer) scores(m store.Match, all blocks, least float64) (list []scored, err error) {
	idf := s.idfs(len(m.Terms), all)
	var score, mass [blockSize]float64
	for block, terms := range all {
		clear(score[:])
		clear(mass[:])
		if err := addMass(m, terms, &mass); err != nil {
			return nil, err
		}
		for _, h := range terms {
			err := h.counts(func(p posting) {
				if mass[p.id] >= least {
					score[p.id] += s.of(idf[h.term], p)
				}
			})
			if err != nil {
				return nil, err
			}
		}
		for place, n := range score {
			if n != 0 {
				list = append(list, scored{block<<blockBits + int64(place), n})
			}
		}
	}
	return list, nil
}

func (s scorer) idfs(terms int, all blocks) []float64 {
	holding := make([]int, terms)
	for _, list := range all {
		for _, h := range list {
			holding[h.term] += h.number
		}
	}
	idf := make([]float64, terms)
	for i, n := range holding {
		idf[i] = s.idf(n)
	}
	return idf
}

// addMass adds up, for each document of a block, the IDF of the terms that it
// holds.
func addMass(m store.Match, terms []termPostings, mass *[blockSize]float64) error {
	for _, h := range terms {
		idf := m.Terms[h.term].IDF
		if err := h.documents(func(place int) { mass[place] += idf }); err != nil {
			return err
		}
	}
	return nil
}

// leastMass returns the mass that a document must have to be scored: see
// Promising in store.Match.
func leastMass(m store.Match, all blocks) (float64, error) {
	if m.Promising <= 0 || len(m.Terms) < 2 || m.Leads <= 2*m.Promising {
		return 0, nil
	}
	var of [blockSize]float64
	number := map[float64]int{} // number of documents by mass; few different sums are possible
	for _, terms := range all {
		clear(of[:])
		if err := addMass(m, terms, &of); err != nil {
			return 0, err
		}
		for _, n := range of {
			if n > 0 {
				number[n]++
			}
		}
	}
	enough := 0
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(number))) {
		if enough += number[n]; enough >= m.Promising {
			return n, nil
		}
	}
	return 0, nil
}

// newest returns the n documents with the highest ids, or all if n is negative.
func newest(list []scored, n int) []scored {
	if n < 0 || len(list) <= n {
		return list
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.id, a.id) })
	return list[:n]
}

// kept returns the documents that pass.
func kept(list []scored, passing func(ids []int64) []int64) []scored {
	ids := make([]int64, len(list))
	for i, d := range list {
		ids[i] = d.id
	}
	passes := map[int64]bool{}
	for _, id := range passing(ids) {
		passes[id] = true
	}
	return slices.DeleteFunc(list, func(d scored) bool { return !passes[d.id] })
}
