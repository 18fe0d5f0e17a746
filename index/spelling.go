package index

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
)

const (
	maxCorrections = 3 // corrected words in one query
	lookedAt       = 8 // candidate words, and texts read for each
)

// correct replaces each term that no chunk holds by the word that was most
// likely meant: of the nearest words that chunks hold, the one in most chunks.
func (s *searcher) correct(terms []rank.Term) []rank.Term {
	list := terms[:0:0]
	has := map[uint32]bool{}
	for _, t := range terms {
		has[t.Hash] = true
	}
	corrections := 0
	for _, t := range terms {
		if t.DF == 0 && !t.Elsewhere && !t.Named && words.MayBeMisspelt(t.Text) && corrections < maxCorrections {
			corrections++
			meant := s.mostHeld(words.Edits(t.Text))
			if meant.DF == 0 {
				meant = s.mostHeld(words.TwoSlips(t.Text))
			}
			switch {
			case meant.DF > 0 && meant.Hash != t.Hash && has[meant.Hash]:
				continue // the query already has it
			case meant.DF > 0:
				t = meant
				has[t.Hash] = true
			}
		}
		list = append(list, t)
	}
	return list
}

// mostHeld returns the spelling that most chunks hold, with DF 0 if no chunk
// holds one. It reads texts, because a chunk that holds the stem may hold
// another word with that stem.
func (s *searcher) mostHeld(spellings []string) rank.Term {
	if len(spellings) == 0 {
		return rank.Term{}
	}
	numbers := make(map[uint32]int, len(spellings))
	of := make(map[uint32][]string, len(spellings))
	for _, w := range spellings {
		h := stems.Hash(words.Stem(w))
		numbers[h] = 0
		of[h] = append(of[h], w)
	}
	s.view.Count(numbers)
	var held []rank.Term
	for h, df := range numbers {
		if df > 0 {
			held = append(held, rank.Term{Text: of[h][0], Hash: h, DF: df})
		}
	}
	slices.SortFunc(held, func(a, b rank.Term) int { return cmp.Or(cmp.Compare(b.DF, a.DF), strings.Compare(a.Text, b.Text)) })
	for _, t := range held[:min(len(held), lookedAt)] {
		if t.Text = s.spelling(of[t.Hash]); t.Text != "" {
			return t
		}
	}
	return rank.Term{}
}

// spelling returns the first of several words with the same stem that a text
// contains, ignoring a plural s, or "" if no text does.
func (s *searcher) spelling(alike []string) string {
	for _, id := range s.view.Holding(words.Stem(alike[0]), lookedAt) {
		low := strings.ToLower(s.standing(id))
		for _, w := range alike {
			if words.StandsIn(low, strings.TrimSuffix(w, "s")) {
				return w
			}
		}
	}
	return ""
}
