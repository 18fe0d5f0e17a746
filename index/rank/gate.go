package rank

import (
	"math"
	"slices"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// The relevance gate keeps noise out of prompts. The words that a query and a
// text share are evidence that memory holds what the query is about; they
// count less when they are a small part of it. One hit with evidence enough
// opens the gate for the others, because a query is about something in memory,
// or it is not.

// smallStore is how many chunks a store is taken to hold beside its own when
// words are weighed, and at least when it is said which words and paths are
// common: in a store of five, a word in two of them is not.
const smallStore = 50

// commonShare is the share of chunks, at least smallStore, above which a word is
// no evidence while the query has others.
const commonShare = 0.15

// telling says how telling words are.
type telling struct {
	chunks int
	common float64 // more chunks than these hold a common word
}

func newTelling(terms []Term, chunks int) telling {
	w := telling{chunks, commonShare * float64(max(chunks, smallStore))}
	if !slices.ContainsFunc(terms, func(t Term) bool { return t.DF > 0 && float64(t.DF) <= w.common }) {
		w.common = math.Inf(1)
	}
	return w
}

// of is how telling a word is that df of the chunks hold: 1 for a word of a
// single chunk, less the more hold it, 0 for a common one while the query has
// others, a little more than 1 for a word of none.
func (w telling) of(df int) float64 {
	if float64(df) > w.common {
		return 0
	}
	return IDF(w.chunks+smallStore, df) / IDF(w.chunks+smallStore, 1)
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
func (p *Plan) evidence(words int, tells float64) float64 {
	switch share := share(tells, p.tells); {
	case share > 0.999:
		return float64(words) + 1
	default:
		return float64(words) * math.Sqrt(share)
	}
}

// titled is how much of what a text and its headings share with the query
// stands in the headings, 0 to 1.
func (p *Plan) titled(k *Candidate) float64 {
	headings := stems.Of(k.headings)
	inHeading, all := 0.0, 0.0
	for _, t := range p.Terms {
		titled := stems.Has(headings, t.Hash)
		if titled {
			inHeading += t.tells
		}
		if titled || stems.Has(k.Stems, t.Hash) {
			all += t.tells
		}
	}
	return share(inHeading, all)
}

// Gate leaves out what is no more than noise; found is sorted by relevance.
func (s *Search) Gate(found []*Candidate) []*Candidate {
	open := s.opens(found)
	return slices.DeleteFunc(found, func(k *Candidate) bool { return !passes(k, open) })
}

// Knows says whether something passes the gate: whether memory holds what the
// query is about. found is sorted by relevance.
func (s *Search) Knows(found []*Candidate) bool {
	open := s.opens(found)
	return slices.ContainsFunc(found, func(k *Candidate) bool { return passes(k, open) })
}

// opens says whether one of the best has evidence enough.
func (s *Search) opens(found []*Candidate) bool {
	best := 0.0
	for _, k := range found[:min(len(found), s.GateLook)] {
		best = max(best, k.Evidence*(1+titleWeight*s.Plan.titled(k)))
	}
	return best >= s.Ranking.Gate && !s.Plan.onlyChatter()
}

// passes says whether a candidate is more than noise. A text that holds a path or
// identifier of the query always is.
func passes(k *Candidate, open bool) bool { return len(k.Named) > 0 || open && k.Evidence > 0 }

// onlyChatter says whether the query speaks to the agent and says nothing
// about a task.
func (p *Plan) onlyChatter() bool {
	return !slices.ContainsFunc(p.Terms, func(t Term) bool { return !words.IsChatter(t.Text) })
}
