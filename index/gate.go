package index

import (
	"math"
	"slices"
)

// The relevance gate keeps noise out of prompts. The words that a query and a
// text share are evidence that memory knows what the query is about: each
// counts as far as it is telling, and all count less when they are a small
// part of the query. One hit with evidence enough opens the gate for the
// others, because a query is about something that memory knows, or it is not.

// smallStore is how many chunks a store is taken to hold beside its own when
// words are weighed: in a store of five, a word in two of them is not common.
const smallStore = 50

// evidenceShare is the power of the share of the query in evidence. On the
// questions in testdata/search, with 8 % of those without an answer let
// through, powers of 0, 0.15, 0.3 and 0.5 keep 0.80, 0.83, 0.85 and 0.83 of
// the right hits; a share alone (the idf mass) keeps 0.66. What else was
// tried (cosines, the title, BM25 itself, unknown words) moved that by 0.03 at
// most, in either direction.
const evidenceShare = 0.3

// telling is how telling a word is that df of the chunks hold: 1 for a word of
// a single chunk, towards 0 for one of all, a little more than 1 for a word of
// none.
func telling(chunks, df int) float64 {
	chunks += smallStore
	return idf(chunks, df) / idf(chunks, 1)
}

// evidence is that of a text with words of the query that tell so much.
func (p *plan) evidence(tells float64) float64 {
	if p.tells <= 0 {
		return 0
	}
	return tells * math.Pow(min(tells/p.tells, 1), evidenceShare)
}

// gated leaves out what is no more than noise; found is sorted by relevance.
// What holds a path or identifier that the query names is never noise.
func (s *searcher) gated(found []*candidate) []*candidate {
	best := 0.0
	for _, k := range found[:min(len(found), s.r.GateLook)] {
		best = max(best, k.evidence)
	}
	open := best >= s.r.Gate
	return slices.DeleteFunc(found, func(k *candidate) bool {
		return len(k.named) == 0 && !(open && k.evidence >= s.r.GateShare*best)
	})
}
