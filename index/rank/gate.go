package rank

import (
	"math"
	"slices"
	"unicode/utf8"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// The relevance gate keeps noise out of prompts. Shared words of a query and a
// text are evidence that memory knows the subject of the query. They
// count less if they are a small part of the query. The gate opens for all hits or for
// none, because memory knows the subject of a query or it does not: see Knowledge.

// smallStore is a number of chunks. It is added to the store's chunks when words are
// weighed, and it is the minimum when common words and paths are determined:
// in a store of five, a word in two of them is not common.
const smallStore = 50

// commonShare is the share of chunks, at least smallStore, above which a word is
// no evidence while the query has others.
const commonShare = 0.15

// telling computes the informative weight of terms.
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

// of returns the weight of a word that df of the chunks hold: 1 for a word of a
// single chunk, less the more chunks hold it, 0 for a common word if the query has
// others, and a little more than 1 for a word that no chunk holds.
func (w telling) of(df int) float64 {
	if float64(df) > w.common {
		return 0
	}
	return IDF(w.chunks+smallStore, df) / IDF(w.chunks+smallStore, 1)
}

// Weights of evidence. At the same rate of right hits, 0.78 of a history's own tasks, a
// gate that uses only evidence shows something for 0.36 of the subjects of other histories
// if unknownWeight is 2 for every word that no text holds. It does so for 0.29 if
// unknownWeight is 6 for the words that unknown selects.
const (
	unknownWeight = 6   // of a word of the query that neither a text nor a file holds, in a large store
	titleWeight   = 0.5 // maximum of the part for words in the title
)

// unknown returns how much a term that no chunk contains counts in a query, relative to a
// known term. Numbers, such as those of pull requests, words of any
// project and pairs of characters of a script without spaces give no information by being
// absent, and a name or a word that is known elsewhere gives little. The few chunks of
// a young memory lack most words.
func (t Term) unknown(chunks int) float64 {
	first, _ := utf8.DecodeRuneInString(t.Text)
	switch {
	case words.IsNumber(t.Text) || words.IsCommonplace(t.Text) || words.IsUnspaced(first):
		return 0
	case t.Elsewhere || t.Named:
		return 1
	}
	return 1 + (unknownWeight-1)*float64(chunks)/float64(chunks+smallStore)
}

// evidence returns the evidence of a text that contains so many words of the query with
// the informative weight tells together: words · √(share of the query's weight),
// or words + 1 for all of it.
func (p *Plan) evidence(words int, tells float64) float64 {
	switch share := share(tells, p.tells); {
	case share > 0.999:
		return float64(words) + 1
	default:
		return float64(words) * math.Sqrt(share)
	}
}

// titled returns the headings' share of the informative weight of the query's
// terms in a text and its headings, 0 to 1.
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

// A text that holds nearly all of a query is about it, even if there are few other texts to
// learn from. One word is too little.
const (
	wholeShare = 0.9 // of the informative weight of the query's terms
	wholeWords = 2
)

// isWhole reports whether a text contains nearly all of the informative weight of a query,
// and the query is about a task.
func (p *Plan) isWhole(h Held) bool {
	return h.Tells >= wholeShare && len(h.Terms) >= wholeWords && !p.onlyChatter()
}

// Gate drops the texts that are only noise: those that share no informative word with
// the query. If memory does not know the subject of the query, Gate also drops all
// others, except texts of the period that the query names, texts that hold a path or
// identifier of the query, and texts that hold nearly all of it. See Know.
func (s *Search) Gate(found []*Candidate) []*Candidate {
	open := s.Knows()
	return slices.DeleteFunc(found, func(k *Candidate) bool {
		return k.Evidence == 0 || !open && !k.Dated && len(k.Named) == 0 && !s.Plan.isWhole(k.Held)
	})
}

// onlyChatter reports whether the query only speaks to the agent and contains nothing
// about a task.
func (p *Plan) onlyChatter() bool {
	return !slices.ContainsFunc(p.Terms, func(t Term) bool { return !words.IsChatter(t.Text) })
}
