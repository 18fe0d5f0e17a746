package index

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"agentflow/embed"
	"agentflow/memory/retrieval"
)

func searchFor(text string) retrieval.Query { return retrieval.Query{Text: text} }

// TestQueryVector checks that searches skip a failing embedder for a while and
// then ask it again.
func TestQueryVector(t *testing.T) {
	s := filled(t)
	e := remote(64)
	d := s.open(Options{Embedder: e})
	now := day
	d.now = func() time.Time { return now }
	broken := errors.New("embed with remote/64: connection refused")
	e.fail = func(role embed.Role, _ int) error {
		if role != embed.Query {
			t.Error("a query is embedded as a document")
		}
		return broken
	}
	for range 3 {
		v, why := d.queryVector(t.Context(), "login")
		if v != nil || !strings.Contains(why, "keywords") || !strings.Contains(why, "remote/64") || !strings.Contains(why, "refused") {
			t.Errorf("%v, %q", v, why)
		}
	}
	if e.calls != 1 {
		t.Errorf("asked %d times", e.calls)
	}
	now, e.fail = now.Add(embedderRest), nil
	if v, why := d.queryVector(t.Context(), "login"); len(v) != 64 || why != "" {
		t.Errorf("healed: %d dimensions, %q", len(v), why)
	}
	if v, why := d.queryVector(t.Context(), "..."); v != nil || why != "" {
		t.Errorf("no word: %v, %q", v, why)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, why := d.queryVector(ctx, "login"); why == "" || now.Before(d.resting.Load().until) {
		t.Errorf("an ended search: %q, blamed on the embedder: %q", why, d.resting.Load().why)
	}
	if v, why := s.open(Options{}).queryVector(t.Context(), "login"); v != nil || why != "" {
		t.Errorf("no embedder: %v, %q", v, why)
	}
}

// TestQueryVectorOfAnotherDimension checks that a query vector with another
// dimension costs the search its vectors, not its hits by words.
func TestQueryVectorOfAnotherDimension(t *testing.T) {
	s := filled(t)
	e := remote(64)
	var why []string
	d := s.open(Options{Embedder: e, Lacking: func(line string) { why = append(why, line) }})
	s.sync(d)
	if _, err := d.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	e.wrong = func(vectors [][]float32) [][]float32 { return [][]float32{wordVector("login", 32)} }
	if hits := search1(t, d, searchFor("login")); len(hits) == 0 || len(why) != 1 || !strings.Contains(why[0], "32 dimensions instead of 64") {
		t.Errorf("%d hits, told %q", len(hits), why)
	}
}

// hastyEmbedder reports the deadline of each call to until.
type hastyEmbedder struct {
	*wordEmbedder
	until func(time.Time)
}

func (e hastyEmbedder) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if deadline, ok := ctx.Deadline(); ok {
		e.until(deadline)
	}
	return e.wordEmbedder.Embed(ctx, role, texts)
}

// TestQueryVectorLeavesTimeToSearch checks that an embedder gets half of the
// time left for a search.
func TestQueryVectorLeavesTimeToSearch(t *testing.T) {
	var until time.Time
	d := newStore(t).open(Options{Embedder: hastyEmbedder{remote(64), func(d time.Time) { until = d }}, EmbedTimeout: 3 * time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
	defer cancel()
	deadline, _ := ctx.Deadline()
	if v, why := d.queryVector(ctx, "login"); v == nil || until.IsZero() || deadline.Sub(until) < 59*time.Minute {
		t.Errorf("%d dimensions, %q; until %v of %v", len(v), why, until, deadline)
	}
}

// stuckEmbedder answers when its context ends.
type stuckEmbedder struct{ *wordEmbedder }

func (e stuckEmbedder) Embed(ctx context.Context, _ embed.Role, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestQueryVectorTimesOut(t *testing.T) {
	d := newStore(t).open(Options{Embedder: stuckEmbedder{remote(64)}, EmbedTimeout: time.Millisecond})
	if v, why := d.queryVector(t.Context(), "login"); v != nil || !strings.Contains(why, "deadline") {
		t.Errorf("%v, %q", v, why)
	}
	if d.resting.Load() == nil {
		t.Error("a slow embedder is asked again at once")
	}
}
