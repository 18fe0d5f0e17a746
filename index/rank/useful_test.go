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
