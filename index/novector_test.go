package index

import (
	"strings"
	"testing"

	"agentflow/memory/retrieval"
)

// TestNoVectorOfText finds by its words a text that the embedder has no vector
// for.
func TestNoVectorOfText(t *testing.T) {
	s := newStore(t)
	s.put("a.md", "# Okapi\n\nin the zoo\n")
	s.put("b.md", "# Zebra\n\nin the zoo\n")
	e := inline(64)
	e.wrong = func(vectors [][]float32) [][]float32 {
		if strings.HasPrefix(e.asked[len(e.asked)-1], "Okapi") {
			return [][]float32{nil}
		}
		return vectors
	}
	d := s.open(Options{Embedder: e})
	s.sync(d)
	hits := search1(t, d, retrieval.Query{Text: "the okapi of a zoo"})
	if len(hits) != 2 || hits[0].Path != "memory/a.md" {
		t.Errorf("found %+v", hits)
	}
}
