package index

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"agentflow/embed"
	"agentflow/memory"
)

func searchFor(text string) memory.Query { return memory.Query{Text: text} }

// TestQueryVector holds that an embedder that fails is left alone for a while
// and asked again then.
func TestQueryVector(t *testing.T) {
	s := filled(t)
	e := remote(64)
	d := s.open(Options{Embedder: e})
	now := day
	d.now = func() time.Time { return now }
	broken := errors.New("connection refused")
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
	if _, why := d.queryVector(ctx, "login"); why == "" || d.asked.resting(now) != "" {
		t.Errorf("an ended search: %q, blamed on the embedder: %q", why, d.asked.resting(now))
	}
	if v, why := s.open(Options{}).queryVector(t.Context(), "login"); v != nil || why != "" {
		t.Errorf("no embedder: %v, %q", v, why)
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
	if d.asked.resting(d.now()) == "" {
		t.Error("a slow embedder is asked again at once")
	}
}
