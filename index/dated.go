package index

import (
	"slices"
	"time"

	"agentflow/index/dateparse"
	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/internal/words"
)

// ofDoing lists words that add nothing to a date, as in "what changed last
// week?"
var ofDoing = words.Set("happen happened happening change changed changes work worked working new news summary everything anything something things")

// within cuts the date that a text names out of it and returns the terms of the
// rest, or none if the rest asks for nothing.
func (s *searcher) within(text string) []rank.Term {
	p, rest, ok := dateparse.In(text, s.Search.Query.Now)
	if !ok {
		return rank.Terms(text)
	}
	s.period = &p
	terms := rank.Terms(rest)
	if !slices.ContainsFunc(terms, func(t rank.Term) bool { return t.Named || !words.IsStopword(t.Text) && !ofDoing[t.Text] }) {
		return nil
	}
	return terms
}

// find returns the candidates for the query. If no chunk can hold a word of the
// query, and the query names a period with entries, it returns the entries of
// the period and byDate is true.
func (s *searcher) find() (found []*rank.Candidate, byDate bool) {
	s.narrow()
	if s.period != nil && !s.asksWords() {
		if found = s.ofPeriod(); len(found) > 0 {
			return found, true
		}
	}
	return s.gather(), false
}

// ofPeriod returns the newest entries of the query's period that pass the
// filter, and the hand-written text of its days, all with the same score.
func (s *searcher) ofPeriod() []*rank.Candidate {
	alike := map[int64]float64{}
	p := store.Period{From: s.period.From, To: s.period.To, Busy: s.Search.Query.Gate}
	for _, id := range s.view.Entries(p, s.filter, max(s.Search.Candidates, s.Search.Query.Limit)) {
		alike[id] = 1
	}
	return s.scored(alike)
}

// isOf reports whether a chunk is dated within a period. Undated text is in no
// period.
func isOf(p dateparse.Period, k *rank.Candidate) bool {
	if k.Date == nil {
		return false
	}
	at := func(t time.Time) int64 {
		if k.Entry != "" {
			return store.CeilUnix(t)
		}
		return store.CeilUnix(store.AsDay(t))
	}
	return at(p.From) <= *k.Date && *k.Date < at(p.To)
}
