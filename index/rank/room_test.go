package rank

import (
	"fmt"
	"testing"

	"agentflow/memory/retrieval"
)

// TestRoom keeps tool texts of agents to their share of a prompt, and
// after pinned texts. A listing shows all of them in order.
func TestRoom(t *testing.T) {
	candidates := func() (list []*Candidate) {
		for n := range 8 {
			list = append(list, &Candidate{Entry: fmt.Sprint("robot", n), ByTool: true, Relevance: 2 - float64(n)/100})
		}
		return append(list, &Candidate{Entry: "plain", Relevance: 0.9}, &Candidate{Entry: "pinned", Pinned: true, Relevance: 0.8})
	}
	nothing := func(string) float64 { return 0 }
	for gate, want := range map[bool]string{true: "[plain pinned robot0 robot1 robot2]", false: "[robot0 robot1 robot2 robot3 robot4]"} {
		s := Search{Ranking: Default(), Query: retrieval.Query{Limit: 5, Gate: gate}}
		var got []string
		last := 9.0
		for _, k := range s.Pick(candidates(), nothing) {
			if got = append(got, k.Entry); k.Score > last {
				t.Errorf("gate %v: scores rise at %s", gate, k.Entry)
			}
			last = k.Score
		}
		if fmt.Sprint(got) != want {
			t.Errorf("gate %v: %v, want %s", gate, got, want)
		}
		if room := s.Room(candidates()); gate != (room == 5) {
			t.Errorf("gate %v: room for %d", gate, room)
		}
	}
}
