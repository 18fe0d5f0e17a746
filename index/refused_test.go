package index

import (
	"context"
	"errors"
	"strings"
	"testing"

	"agentflow/embed"
)

// TestRefusedText checks that a text which the provider refuses is reported,
// has no vector, is not sent again, and delays no other text.
func TestRefusedText(t *testing.T) {
	s := filled(t)
	e := remote(64)
	e.taboo = "number14 of module1"
	var said []string
	d := s.open(Options{Embedder: e, Notice: func(what string) { said = append(said, what) }})
	s.sync(d)
	chunks := stats(t, d).Chunks
	r, err := d.EmbedPending(t.Context(), nil)
	must(t, err)
	refused := chunks - stats(t, d).Vectors
	if refused == 0 || refused > 11 || r.Pending != 0 {
		t.Errorf("%+v: %d of %d have no vector", r, refused, chunks)
	}
	if len(said) == 0 || !strings.Contains(said[0], "contents filtered") {
		t.Errorf("said %q", said)
	}
	before := e.calls
	if r, err := d.EmbedPending(t.Context(), nil); err != nil || r.Embedded != 0 || e.calls != before {
		t.Errorf("again: %+v, %v, %d calls more", r, err, e.calls-before)
	}
}

// TestRefusesEverything covers a wrong setting: the provider refuses every
// text, and all of them stay pending.
func TestRefusesEverything(t *testing.T) {
	s := filled(t)
	e := remote(64)
	e.fail = func(embed.Role, int) error { return embed.ErrRefused }
	d := s.open(Options{Embedder: e})
	s.sync(d)
	if r, err := d.EmbedPending(t.Context(), nil); !errors.Is(err, embed.ErrRefused) || r.Pending != stats(t, d).Chunks {
		t.Errorf("%+v, %v", r, err)
	}
	if e.calls > 40 {
		t.Errorf("%d calls", e.calls)
	}
}

// TestRefusedTextHoldsUpNone gives every command time for one request only,
// with the newest text always refused. The texts after it still get vectors,
// and in the end all others have one.
func TestRefusedTextHoldsUpNone(t *testing.T) {
	s := filled(t)
	s.put("2027-01-01.md", entry("poison", day, "Poisoned", "poisonous words"))
	e := remote(64)
	e.taboo = "poisonous"
	d := s.open(Options{Embedder: e, Notice: func(string) {}})
	s.sync(d)
	chunks := stats(t, d).Chunks
	last, stalls := 0, 0
	for range 3 * chunks {
		ctx, cancel := context.WithCancel(t.Context())
		begun := e.calls
		e.fail = func(_ embed.Role, n int) error {
			if n-begun >= 2 { // one request, and the question whether it takes anything
				cancel()
				return ctx.Err()
			}
			return nil
		}
		_, err := d.EmbedPending(ctx, nil)
		cancel()
		must(t, err)
		have := stats(t, d).Vectors
		if have == last {
			stalls++
		}
		if last = have; stats(t, d).Pending == 0 {
			break
		}
	}
	if last != chunks-1 || stalls > 4 {
		t.Errorf("%d of %d have a vector, and %d commands brought none", last, chunks, stalls)
	}
}
