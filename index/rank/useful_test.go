package rank

import (
	"fmt"
	"testing"

	"agentflow/memory"
)

// TestUseful: of the hits of a prompt those stay that are likely enough to be of
// use, and what a person pinned or a date names.
func TestUseful(t *testing.T) {
	s := Search{Ranking: Default(), Query: memory.Query{Gate: true}}
	named := Held{Evidence: 1, Named: []string{"x.go"}}
	likely := &Candidate{Entry: "likely", Held: Held{Evidence: 3}, Agrees: 0.3}
	fact := &Candidate{Entry: "fact", Held: Held{Evidence: 3}}
	unlikely := &Candidate{Entry: "unlikely", Held: Held{Evidence: 1}, Agrees: 0.0005}
	all := []*Candidate{likely, unlikely, fact, {Entry: "pinned", Pinned: true, Agrees: 0.0001}, {Entry: "dated", Dated: true, Agrees: 0.0001}}
	var got []string
	for _, k := range s.Useful(all) {
		got = append(got, k.Entry)
	}
	if want := "[likely fact pinned dated]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	for _, k := range all {
		if k.Chance <= 0 || k.Chance >= 1 {
			t.Errorf("%s has chance %v", k.Entry, k.Chance)
		}
	}
	if !(likely.Chance > fact.Chance && fact.Chance > unlikely.Chance) {
		t.Errorf("%v, %v, %v", likely.Chance, fact.Chance, unlikely.Chance)
	}
	if a, b := (&Candidate{Held: named}).useful(3), (&Candidate{Held: Held{Evidence: 1}}).useful(3); a <= b {
		t.Errorf("named %v, not %v", a, b)
	}
	s.LeastShare = 0.99
	if left := s.Useful([]*Candidate{likely, fact}); len(left) != 1 || left[0] != likely {
		t.Errorf("%d beside the best", len(left))
	}
	if s.Useful(nil) != nil {
		t.Error("nothing is of use")
	}
}

// TestSure: a prompt gets the first hit that names files if it is not far less likely to be of
// use than another, others that are likely and share much with the task, texts without paths
// by their words, and what a person pinned, but no merge without a title of its own.
func TestSure(t *testing.T) {
	s := Search{Ranking: Default(), Query: memory.Query{Gate: true}}
	entry := func(name string, chance, evidence float64) *Candidate {
		return &Candidate{Entry: name, Paths: []string{name}, Chance: chance, Held: Held{Evidence: evidence}}
	}
	words := func(name string, evidence float64) *Candidate {
		return &Candidate{Entry: name, Chance: 0.2, Held: Held{Evidence: evidence}}
	}
	pinned := entry("pinned", 0.01, 0.1)
	pinned.Pinned = true
	half := entry("half", 0.1, 4)
	half.Mass = 0.6
	merge := entry("merge", 0.7, 3)
	merge.Heading = "2026-05-04 11:28 · Merge branch 'main' into topic"
	named := entry("named", 0.6, 0.3)
	named.Named = []string{"named"}
	for want, useful := range map[string][]*Candidate{
		"[]":            nil,
		"[first]":       {entry("first", 0.4, 0.5), entry("unlikely", 0.3, 3), entry("by one word", 0.6, 0.5)},
		"[next]":        {entry("far less likely", 0.3, 2), entry("next", 0.8, 2), entry("less likely", 0.5, 2)},
		"[a b named]":   {entry("a", 0.6, 0.5), entry("b", 0.6, 2), named},
		"[fact first]":  {words("fact", 3), words("other", 1), entry("first", 0.2, 0.5)},
		"[after]":       {merge, entry("after", 0.4, 1)},
		"[likely half]": {entry("likely", 0.8, 2), half},
		"[pinned]":      {entry("vague", 0.2, 0.1), pinned},
	} {
		got := []string{}
		for _, k := range s.Sure(useful) {
			got = append(got, k.Entry)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
