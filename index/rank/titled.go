package rank

import (
	"slices"
	"strings"

	"agentflow/memory"
)

// leastTitle is the number of words from which a query that equals a title means the entry.
const leastTitle = 3

// Titled returns the best candidate with a title that is the whole query; nil if there is none.
func (s *Search) Titled(found []*Candidate) *Candidate {
	words := strings.Fields(s.Query.Text)
	if len(words) < leastTitle || strings.Contains(strings.TrimSpace(s.Query.Text), "\n") {
		return nil
	}
	title := memory.Title(strings.Join(words, " "))
	var best *Candidate
	for _, k := range found {
		_, of, ok := strings.Cut(k.Heading, " · ")
		section := len(of) > len(title) && strings.HasPrefix(of, title+" > ")
		if ok && !k.Undone && (section || memory.SameTitle(of, title)) && (best == nil || k.Relevance > best.Relevance) {
			best = k
		}
	}
	return best
}

// Lead puts a candidate first, unless it is nil.
func (s *Search) Lead(k *Candidate, picked []*Candidate) []*Candidate {
	if k == nil || len(picked) > 0 && picked[0] == k {
		return picked
	}
	picked = slices.DeleteFunc(slices.Clone(picked), func(other *Candidate) bool { return other == k })
	for _, other := range picked {
		k.Chance, k.Score = max(k.Chance, other.Chance), max(k.Score, other.Score)
	}
	k.Chance = max(k.Chance, s.LeastChance)
	picked = append([]*Candidate{k}, picked...)
	return picked[:min(len(picked), s.Query.Limit)]
}
