package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// TestNearest compares with a look at all vectors: nearly all of the ten best
// are found, in order, also when a filter lets few of them pass.
func TestNearest(t *testing.T) {
	s := newStore(t)
	d := s.open(Options{Embedder: inline(96)})
	next := clustered(rand.New(rand.NewPCG(1, 2)), 96)
	vectors := fillVectors(t, d, 3000, next)
	for name, c := range map[string]struct {
		every int
		least float64
	}{"all": {1, 0.95}, "half": {2, 0.95}, "hundredth": {100, 1}, "five": {600, 1}} {
		found, all := 0, 0
		for range 30 {
			q := next()
			var want []int64
			for _, id := range exactly(vectors, q, len(vectors)) {
				if id%int64(c.every) == 0 && len(want) < 10 {
					want = append(want, id)
				}
			}
			got := nearestIDs(t, d, q, 10, every(c.every))
			if len(got) != len(want) || got[0] != want[0] && c.every == 600 {
				t.Fatalf("%s: found %v, want %v", name, got, want)
			}
			for _, id := range got {
				if all++; slices.Contains(want, id) {
					found++
				}
			}
		}
		if recall := float64(found) / float64(all); recall < c.least {
			t.Errorf("%s: recall %.3f", name, recall)
		}
	}
}

// TestNearestOfNothing covers an index without vectors, one in which none
// passes the filter, and one with vectors of another embedder.
func TestNearestOfNothing(t *testing.T) {
	s := newStore(t)
	d := s.open(Options{Embedder: inline(96)})
	next := clustered(rand.New(rand.NewPCG(1, 2)), 96)
	if got := nearestIDs(t, d, next(), 10, store.Filter{}); len(got) != 0 {
		t.Errorf("empty: %v", got)
	}
	fillVectors(t, d, 1500, next)
	if got := nearestIDs(t, d, next(), 10, every(7)); len(got) != 0 {
		t.Errorf("none passes: %v", got)
	}
	other := s.open(Options{Embedder: inline(128)})
	if got := nearestIDs(t, other, randomUnit(rand.New(rand.NewPCG(1, 2)), 128), 10, store.Filter{}); len(got) != 0 {
		t.Errorf("another embedder's: %v", got)
	}
	err := d.view(t.Context(), func(_ store.Handle, v store.View) error {
		v.Nearest(make([]float32, 97), 10, store.Filter{})
		return v.Err()
	})
	if !errors.Is(err, quantized.ErrVector) {
		t.Errorf("another dimension: %v", err)
	}
}

// TestSameText checks that the order of equal texts does not depend on how the
// index was filled.
func TestSameText(t *testing.T) {
	s := newStore(t)
	for i := range 30 {
		s.put(fmt.Sprintf("f%02d.md", i), entry(fmt.Sprint("e", i), day.AddDate(0, 0, i%7), "The same words", "again and again"))
	}
	d := s.open(Options{Embedder: inline(64)})
	order := func() (keys []int64) {
		t.Helper()
		for _, id := range nearestIDs(t, d, wordVector("the same words", 64), 8, store.Filter{}) {
			key, err := column[int64](t.Context(), oneConn(t, tables(t, d)), fmt.Sprintf(`SELECT key FROM chunks WHERE id=%d`, id))
			must(t, err)
			keys = append(keys, key...)
		}
		return keys
	}
	s.sync(d)
	want := order()
	must(t, removeAll(s.file("f03.md")))
	s.sync(d)
	s.put("f03.md", entry("e3", day.AddDate(0, 0, 3), "The same words", "again and again"))
	s.sync(d)
	if got := order(); len(got) != 8 || !slices.Equal(got, want) {
		t.Errorf("%v, before %v", got, want)
	}
}
