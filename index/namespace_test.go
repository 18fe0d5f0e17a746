package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// TestNamespacesBeforeTopK checks that facts of other namespaces take no place
// among the best: any number of them hides none that counts.
func TestNamespacesBeforeTopK(t *testing.T) {
	for _, n := range []int{3, 400} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newStore(t)
			var foreign strings.Builder
			for i := range n {
				foreign.WriteString(bullet(memory.Fact{ID: fmt.Sprintf("f%d", i), Text: fmt.Sprintf("The flaky login %d.", i), Namespace: "branch/other"}))
			}
			s.put("MEMORY.md", foreign.String())
			pad := strings.Repeat("Other words of a long summary. ", 20)
			s.put("2026-11-21.md", written("wanted", pad+"The flaky login", func(e *memory.Entry) {
				e.Facts = []memory.Fact{{ID: "own", Text: pad + "The flaky login.", Namespace: "branch/mine"}}
			}))
			d := s.open(Options{})
			s.sync(d)
			list, err := d.Namespaces(t.Context())
			must(t, err)
			if slices.Sort(list); !slices.Equal(list, []string{"branch/mine", "branch/other"}) {
				t.Errorf("the namespaces are %q", list)
			}
			q := retrieval.Query{Text: "flaky login", Limit: 5}
			if hits := search1(t, d, q); len(hits) != 1 || hits[0].EntryID != "wanted" || strings.Contains(hits[0].Text, "id=own") {
				t.Errorf("in the project %d hits: %+v", len(hits), hits)
			}
			q.Namespaces = []string{"branch/mine", "run/none"}
			hits := search1(t, d, q)
			if len(hits) != 2 || hits[0].Namespace+hits[1].Namespace != "branch/mine" {
				t.Errorf("on the branch %d hits: %+v", len(hits), hits)
			}
			q.Filter.Namespace = "branch/mine"
			for _, q.Namespaces = range [][]string{nil, {"branch/other"}} {
				if hits := search1(t, d, q); len(hits) != 1 || hits[0].Namespace != "branch/mine" {
					t.Errorf("of the branch alone %d hits: %+v", len(hits), hits)
				}
			}
			q.Filter.Namespace = ""
			q.Namespaces = []string{"branch/other"}
			if hits := search1(t, d, q); len(hits) != min(n+1, 5) {
				t.Errorf("on the other branch %d hits: %+v", len(hits), hits)
			}
		})
	}
}
