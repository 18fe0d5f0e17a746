package index

import (
	"testing"

	"agentflow/memory"
)

// TestEvidence holds what evidence grows with.
func TestEvidence(t *testing.T) {
	of := func(query, shared int) float64 {
		p := plan{tells: float64(query)}
		return p.evidence(shared, float64(shared))
	}
	if of(1, 1) != 2 || of(0, 0) != 0 {
		t.Errorf("one word that is all: %v; nothing: %v", of(1, 1), of(0, 0))
	}
	if !(of(4, 2) > of(4, 1) && of(2, 1) > of(4, 1) && of(8, 4) > of(4, 2)) {
		t.Error("more words, or more of the query, are not more evidence")
	}
	if !(telling(1000, 1) == 1 && telling(1000, 100) < telling(1000, 10) && telling(1000, 0) > 1 && telling(5, 2) > 0.7) {
		t.Errorf("telling: %v %v %v %v", telling(1000, 100), telling(1000, 10), telling(1000, 0), telling(5, 2))
	}
}

// TestGateOpens: a query that one entry is about lets weaker hits in too; one
// that none is about lets nothing in, but what it names.
func TestGateOpens(t *testing.T) {
	entries := []string{
		written("about", "Rotate the signing keys of the session store", touching(0, "auth/keys.go")),
		written("weak", "Rotate the banner of a session", touching(0, "web/banner.ts")),
		written("talk", "Continue", touching(3, "web/other.ts")),
	}
	for query, want := range map[string]string{
		"rotate the session signing keys again":                      "about weak",
		"rotate the wheels of the bus all day long, says the driver": "",
		"continue": "",
		"say in the driver's handbook what keys.go is for, in plain Finnish": "about",
	} {
		if ids, _ := order(t, memory.Query{Text: query, Gate: true}, entries...); ids != want {
			t.Errorf("%q: %q, want %q", query, ids, want)
		}
	}
}
