package index

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

// TestPromising checks that BM25 scores the texts that hold the most words of a
// query and all that hold as many as the last of these, and that the best of
// them are the best of all texts.
func TestPromising(t *testing.T) {
	s := newStore(t)
	var text strings.Builder
	for i := range 300 { // all hold one word, a third of them two, each tenth three
		words := []string{"parser"}
		if i%3 == 0 {
			words = append(words, "token")
		}
		if i%10 == 0 {
			words = append(words, "clock")
		}
		text.WriteString(entry(fmt.Sprintf("e%d", i), day, fmt.Sprintf("Entry %d", i), strings.Join(words, " ")+"."))
	}
	s.put("a.md", text.String())
	o := Options{Ranking: DefaultRanking()}
	d := s.open(o)
	s.sync(d)
	all := headings(t, d, retrieval.Query{Text: "parser token clock"})
	for promising, want := range map[int]int{1: 10, 5: 10, 10: 10, 11: 30, 20: 30, 31: 120, 150: 300, 1000: 300} {
		o.Ranking.Promising = promising
		d := s.open(o)
		s.sync(d)
		if got := countPromising(t, d, "parser token clock"); got != want {
			t.Errorf("of at least %d: %d, want %d", promising, got, want)
		}
		if got := headings(t, d, retrieval.Query{Text: "parser token clock"}); got != all {
			t.Errorf("with at least %d: %s, want %s", promising, got, all)
		}
	}
}

// TestManyHits asks for more than are promising: half of the entries hold two
// words of the query.
func TestManyHits(t *testing.T) {
	s := newStore(t)
	var text strings.Builder
	for i := range 200 {
		text.WriteString(entry(fmt.Sprintf("e%d", i), day, fmt.Sprintf("Entry %d", i), []string{"parser.", "parser token."}[i%2]))
	}
	s.put("a.md", text.String())
	o := Options{Ranking: DefaultRanking()}
	o.Ranking.Candidates, o.Ranking.Promising = 5, 0
	d := s.open(o)
	s.sync(d)
	for limit, want := range map[int]int{5: 5, 40: 40, 99: 99, 150: 150, 300: 200} {
		if hits := search1(t, d, retrieval.Query{Text: "parser token", Limit: limit}); len(hits) != want {
			t.Errorf("of at most %d: %d", limit, len(hits))
		}
	}
}

// countPromising counts the chunks that are scored.
func countPromising(t *testing.T, d *DB, text string) (n int) {
	t.Helper()
	looked(t, d, func(s *searcher) {
		terms := rank.Terms(text)
		s.Search.Plan = rank.Choose(terms, lookUp(s.view, terms), s.Search.Ranking)
		m := store.Match{Terms: s.Search.Plan.Used(), FilesWeight: s.Search.FilesWeight, Scored: s.Search.Scored, Best: -1, Promising: s.Search.Promising, Leads: s.Search.Plan.Leads}
		n = len(s.view.Match(m))
	})
	return n
}
