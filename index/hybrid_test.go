package index

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/embed"
	"agentflow/internal/words"
	"agentflow/memory/retrieval"
)

// subword embeds words by their first letters: what keywords cannot see.
type subword struct{ *wordEmbedder }

func (e subword) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	short := make([]string, len(texts))
	for i, text := range texts {
		for _, tok := range words.Tokenize(text) {
			short[i] += " " + words.FirstRunes(tok.Text, 5)
		}
	}
	return e.wordEmbedder.Embed(ctx, role, short)
}

// TestNearIsFound checks that a vector finds a text without any word of the
// query, ranked after texts with words, and only if the gate is open.
func TestNearIsFound(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("near", "Autentication of guests", touching(0, "auth/a.go"))+
		written("word", "Authentication of guests", touching(1, "auth/b.go"))+written("far", "Terraform plan", touching(0, "infra/main.tf")))
	e := subword{inline(128)}
	e.info.Weight = 0.3
	d := s.open(Options{Embedder: e})
	s.sync(d)
	hits := search1(t, d, retrieval.Query{Text: "authentic autens"})
	if len(hits) != 2 || hits[0].EntryID == "far" || hits[0].Explain.Vector == 0 {
		t.Errorf("%+v", hits)
	}
	if hits := search1(t, d, retrieval.Query{Text: "autens", Gate: true}); len(hits) != 0 {
		t.Errorf("past the gate: %+v", hits)
	}
}

// TestUnembeddedGoByWords checks that a text without a vector yet keeps the
// rank its words give it.
func TestUnembeddedGoByWords(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-20.md", written("old", "Flaky weather", touching(1, "a.go")))
	e := remote(64)
	e.info.Weight = 0.5
	d := s.open(Options{Embedder: e})
	s.sync(d)
	_, err := d.EmbedPending(t.Context(), nil)
	must(t, err)
	s.put("2026-11-21.md", written("new", "Flaky login", touching(0, "b.go")))
	s.sync(d)
	hits := search1(t, d, retrieval.Query{Text: "flaky login"})
	if len(hits) != 2 || hits[0].EntryID != "new" || hits[0].Explain.Keyword != 1 || hits[0].Explain.Vector != 0 {
		t.Errorf("%+v, %+v", hits[0], hits[0].Explain)
	}
}

// TestSearchesWhileWritten searches by words and by meaning while entries come
// and go: the half that has the word is always found.
func TestSearchesWhileWritten(t *testing.T) {
	s := newStore(t)
	o := Options{Embedder: local(t), Ranking: DefaultRanking()}
	o.Ranking.Candidates = 1
	d := s.open(o)
	put := func(i int) { // the other half is only near
		var text strings.Builder
		for j := range 24 {
			text.WriteString(entry(fmt.Sprintf("e%d", j), day.Add(time.Duration(j)*time.Second), "Speed up the "+[]string{"parsery", "parser"}[j%2], fmt.Sprintf("Version %d.", i)))
		}
		s.put("d.md", text.String())
		s.sync(d)
	}
	put(0)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if hits, err := d.Search(t.Context(), retrieval.Query{Text: "parser", Limit: 30}); err != nil || len(hits) < 12 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
			}
		})
	}
	for i := range 30 {
		put(i)
	}
	close(done)
	wg.Wait()
}
