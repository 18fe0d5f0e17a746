package index

import (
	"agentflow/index/dateparse"
	"agentflow/index/store"
)

// asksWords reports whether a chunk can hold a word of the query.
func (s *searcher) asksWords() bool { return len(s.Search.Plan.Used()) > 0 }

// window limits how many chunks are scored, newest first, and how many of the
// best are returned; -1 means all.
type window struct{ scored, best int }

// byKeyword returns the best matching chunks that pass the filter, by id.
func (s *searcher) byKeyword(f store.Filter, w window) map[int64]float64 {
	if !s.asksWords() {
		return map[int64]float64{}
	}
	m := store.Match{Terms: s.Search.Plan.Used(), Filter: f, FilesWeight: s.Search.FilesWeight, Scored: w.scored, Best: w.best, Leads: s.Search.Plan.Leads}
	if w.scored >= 0 {
		m.Promising = max(s.Search.Promising, w.best)
	}
	return s.view.Match(m)
}

func narrowed(f store.Filter, p dateparse.Period) store.Filter {
	f.Period = &store.Period{From: p.From, To: p.To}
	return f
}
