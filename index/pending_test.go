package index

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agentflow/embed"
	"agentflow/index/quantized"
)

// TestPendingStops interrupts embedding, once by ctx and once by a failing
// provider, and checks that a later call continues.
func TestPendingStops(t *testing.T) {
	s := filled(t)
	e := remote(64)
	d := s.open(Options{Embedder: e})
	s.sync(d)
	chunks := stats(t, d).Chunks

	ctx, cancel := context.WithCancel(t.Context())
	r, err := d.EmbedPending(ctx, func(done, _ int) {
		if done == 48 {
			cancel()
		}
	})
	if err != nil || r.Embedded != 48 || r.Pending != chunks-48 {
		t.Errorf("ended by ctx: %+v, %v", r, err)
	}
	if !strings.Contains(e.asked[0], "number14 of module19") {
		t.Errorf("the first was %q", e.asked[0])
	}
	down := errors.New("embed with remote/64: connection refused")
	e.fail = func(_ embed.Role, n int) error {
		if n == 5 {
			return down
		}
		return nil
	}
	r, err = d.EmbedPending(t.Context(), nil)
	if !errors.Is(err, down) || !strings.Contains(err.Error(), "remote/64") || r.Embedded == 0 || r.Pending == 0 {
		t.Errorf("a failing provider: %+v, %v", r, err)
	}
	if got := headings(t, d, searchFor("flaky login")); !strings.HasPrefix(got, "Fix the flaky login test") {
		t.Errorf("found %q meanwhile", got)
	}
	e.asked = slices.DeleteFunc(e.asked, func(text string) bool { return text == "flaky login" }) // the query
	_, err = d.EmbedPending(t.Context(), nil)
	must(t, err)
	slices.Sort(e.asked)
	if n := len(slices.Compact(e.asked)); n != chunks {
		t.Errorf("%d texts were asked for, %d times twice", n, chunks-n)
	}
	checkVectors(t, s, d, remote(64))
}

// TestCacheSurvives checks that no text is embedded twice: not after a rebuild,
// not after a change of the tables, not when the text returns.
func TestCacheSurvives(t *testing.T) {
	s := filled(t)
	e := remote(64)
	complete := func(d *DB) {
		t.Helper()
		_, err := d.EmbedPending(t.Context(), nil)
		must(t, err)
		if got := stats(t, d); got.Pending != 0 || got.Vectors != got.Chunks {
			t.Errorf("%+v", got)
		}
	}
	d := s.open(Options{Embedder: e})
	s.sync(d)
	complete(d)
	paid := len(e.asked)
	_, err := d.Rebuild(t.Context(), s.source())
	must(t, err)
	complete(d)
	alter(t, s.db(), "PRAGMA user_version=1")
	d = s.open(Options{Embedder: e, Notice: func(string) {}})
	s.sync(d)
	complete(d)
	s.put("2026-11-21.md", "")
	s.sync(d)
	s.put("2026-11-21.md", entry("again", day.AddDate(0, 0, 1), "Fix the flaky login test", "The clock was real."))
	s.sync(d)
	complete(d)
	if len(e.asked) != paid {
		t.Errorf("asked for %d more: %q", len(e.asked)-paid, e.asked[paid:])
	}
	checkVectors(t, s, d, remote(64))
}

// TestLyingEmbedder checks that the index refuses every wrong vector.
func TestLyingEmbedder(t *testing.T) {
	for name, wrong := range map[string]func([][]float32) [][]float32{
		"too few": func(v [][]float32) [][]float32 { return v[1:] },
		"dimension": func(v [][]float32) [][]float32 {
			v[3] = unit(make([]float32, 65))
			v[3] = append(v[0:1:1][0], 0)
			return v
		},
		"length": func(v [][]float32) [][]float32 { v[2][0] += 3; return v },
	} {
		s := filled(t)
		e := remote(64)
		e.wrong = wrong
		d := s.open(Options{Embedder: e})
		s.sync(d)
		r, err := d.EmbedPending(t.Context(), nil)
		if !errors.Is(err, errEmbedder) || r.Embedded != 0 || stats(t, d).Vectors != 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestDimensionChanges checks that vectors of another dimension are not mixed
// in, although the embedder's identity is the same.
func TestDimensionChanges(t *testing.T) {
	s := filled(t)
	e := remote(64)
	d := s.open(Options{Embedder: e})
	s.sync(d)
	_, err := d.EmbedPending(t.Context(), nil)
	must(t, err)
	e.wrong = func(v [][]float32) [][]float32 {
		for i := range v {
			v[i] = append(v[i], 0)
		}
		return v
	}
	s.put("new.md", entry("new", day, "A zebra", "Seen."))
	s.sync(d)
	r, err := d.EmbedPending(t.Context(), nil)
	if !errors.Is(err, quantized.ErrVector) || r.Embedded != 0 || stats(t, d).Pending != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEditedWhileEmbedding changes a text while its vector is made.
func TestEditedWhileEmbedding(t *testing.T) {
	s := newStore(t)
	s.put("f.md", entry("a", day, "A zebra", "Seen.")+entry("b", day, "An okapi", "Seen."))
	e := remote(64)
	d := s.open(Options{Embedder: e})
	s.sync(d)
	e.fail = func(_ embed.Role, n int) error {
		if n == 0 {
			s.put("f.md", entry("a", day, "A camel", "Seen.")+entry("b", day, "An okapi", "Seen."))
			s.sync(d)
		}
		return nil
	}
	_, err := d.EmbedPending(t.Context(), nil)
	must(t, err)
	checkVectors(t, s, d, remote(64))
}

// TestEmbedderChanges checks that the vectors of a former embedder are removed,
// which is reported once, and that a process without an embedder keeps them in
// step.
func TestEmbedderChanges(t *testing.T) {
	s := filled(t)
	d := s.open(Options{}) // no embedder yet
	s.sync(d)
	if got := stats(t, d); got.Embedder != "" || got.Pending != 0 || got.Vectors != 0 {
		t.Errorf("none: %+v", got)
	}
	var said []string
	a, b := inline(64), remote(32)
	d = s.open(Options{Embedder: a, Notice: func(n string) { said = append(said, n) }})
	s.sync(d)
	checkVectors(t, s, d, a)
	if len(said) > 0 {
		t.Errorf("the first embedder: %q", said)
	}
	d = s.open(Options{Embedder: b, Notice: func(n string) { said = append(said, n) }})
	s.sync(d)
	s.sync(d)
	if got := stats(t, d); len(said) != 1 || !strings.Contains(said[0], "remote/32") || !strings.Contains(said[0], "words/64") ||
		got.Vectors != 0 || got.Pending != got.Chunks {
		t.Errorf("said %q, %+v", said, got)
	}
	_, err := d.EmbedPending(t.Context(), nil)
	must(t, err)
	checkVectors(t, s, d, b)

	none := s.open(Options{})
	s.put("2026-11-21.md", entry("more", day, "A zebra", "Seen."))
	s.sync(none)
	if got := stats(t, none); got.Pending != 1 || got.Vectors != got.Chunks-1 {
		t.Errorf("without an embedder: %+v", got)
	}
	_, err = d.EmbedPending(t.Context(), nil)
	must(t, err)
	checkVectors(t, s, d, b)
}
