package index

import (
	"slices"
	"strings"

	"agentflow/index/rank"
	"agentflow/internal/words"
)

// lookAlike keeps the candidates with a word that is spelt like a word of the query. It is for an embedder
// with vectors of spelling, for a query with words that no text has: among hundreds of texts, some
// are near any vector by chance.
func (s *searcher) lookAlike(near []*rank.Candidate) []*rank.Candidate {
	if s.db.o.Embedder == nil || !s.db.o.Embedder.Info().Spelling {
		return near
	}
	asked := words.Tokenize(rank.Beginning(s.Search.Query.Text, s.Search.QueryRunes))
	return slices.DeleteFunc(near, func(k *rank.Candidate) bool {
		held := words.Tokenize(k.Heading + "\n" + s.standing(k.ID))
		return !slices.ContainsFunc(asked, func(a words.Token) bool {
			return slices.ContainsFunc(held, func(h words.Token) bool { return alike(words.Stem(a.Text), words.Stem(h.Text)) })
		})
	})
}

// leastAlike is how many letters words that are alike have in common at least.
const leastAlike = 4

// alike reports whether the stems of a word of a query and of a word of a text are spelt alike: one contains the other, or
// the beginning that they share is more than two thirds of the query's.
func alike(asked, held string) bool {
	a, h := []rune(asked), []rune(held)
	if len(a) < leastAlike || len(h) < leastAlike {
		return false
	}
	if strings.Contains(held, asked) || strings.Contains(asked, held) {
		return true
	}
	n := 0
	for n < min(len(a), len(h)) && a[n] == h[n] {
		n++
	}
	return n >= leastAlike && 3*n > 2*len(a)
}
