package index

import (
	"math"
	"slices"

	"agentflow/internal/words"
)

// The relevance gate keeps noise out of prompts. The words that a query and a
// text share are evidence that memory knows what the query is about; they
// count less when they are a small part of it. One hit with evidence enough
// opens the gate for the others, because a query is about something that
// memory knows, or it is not.

// smallStore is how many chunks a store is taken to hold beside its own when
// words are weighed: in a store of five, a word in two of them is not common.
const smallStore = 50

// telling is how telling a word is that df of the chunks hold: 1 for a word of
// a single chunk, towards 0 for one of all, a little more than 1 for a word of
// none.
func telling(chunks, df int) float64 {
	chunks += smallStore
	return idf(chunks, df) / idf(chunks, 1)
}

// Weights of evidence, chosen among 432 variants on 140 questions with and 48
// without an answer in testdata/search, and on 582 commits of six histories
// asked of their own and of the other five: at the rate of 8 % of the questions
// without an answer, evidence keeps 0.96 of the right hits of the questions and
// 0.82 of those of the commits, and lets 23 % of the commits of other histories
// through. Without unknownWeight and titleWeight it keeps 0.93 and 0.77; the
// share of idf mass alone 0.74 and 0.52. Cosines changed neither by more than
// 0.02, and would tie the gate to an embedder.
const (
	unknownWeight = 2   // of a word of the query that no text holds
	titleWeight   = 0.5 // what the words in the title add, at most
)

// evidence is that of a text with so many words of the query, which tell so
// much together: words · √(share of what the query tells), and 1 more for all
// of it.
func (p *plan) evidence(words int, tells float64) float64 {
	if p.tells <= 0 {
		return 0
	}
	share := tells / p.tells
	if share > 0.999 {
		return float64(words) + 1
	}
	return float64(words) * math.Sqrt(share)
}

// titled is how much of what a text and its headings share with the query
// stands in the headings, 0 to 1.
func (p *plan) titled(k *candidate) float64 {
	var t termSet
	t.column(k.titles)
	titles := t.pack()
	inHeading, all := 0.0, 0.0
	for _, t := range p.terms {
		titled := holds(titles, t.hash)
		if titled {
			inHeading += t.tells
		}
		if titled || holds(k.terms, t.hash) {
			all += t.tells
		}
	}
	return share(inHeading, all)
}

// gated leaves out what is no more than noise; found is sorted by relevance.
// What holds a path or identifier that the query names is never noise.
func (s *searcher) gated(found []*candidate) []*candidate {
	best := 0.0
	for _, k := range found[:min(len(found), s.r.GateLook)] {
		best = max(best, k.evidence*(1+titleWeight*s.plan.titled(k)))
	}
	open := best >= s.r.Gate && !s.plan.onlyTalk()
	return slices.DeleteFunc(found, func(k *candidate) bool {
		return len(k.named) == 0 && !(open && k.evidence >= s.r.GateShare*best)
	})
}

// onlyTalk says whether the query speaks to the agent and says nothing of a
// task.
func (p *plan) onlyTalk() bool {
	return !slices.ContainsFunc(p.terms, func(t term) bool { return !words.IsChatter(t.text) })
}
