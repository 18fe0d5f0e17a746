package files

import (
	"testing"

	"agentflow/internal/roles"
	"agentflow/memory/retrieval"
)

// TestSettle: a prompt shows a sure file if an entry names it or if the file is likely enough, no
// document in passing, no file of a tool, and a test only next to a file to change or if the task
// asks for tests.
func TestSettle(t *testing.T) {
	named := func(path string) bool { return path == "named.go" || path == "docs/named.md" }
	for _, c := range []struct {
		task, path string
		chance     float64
		sure, want bool
	}{
		{"login", "named.go", 0.15, true, true},
		{"login", "named.go", 0.14, false, false},
		{"login", "alone.go", 0.25, true, true},
		{"login", "alone.go", 0.24, true, false},
		{"login", "docs/named.md", 0.4, true, false},
		{"login", "docs/named.md", 0.5, true, true},
		{"login", "docs/alone.md", 0.5, true, false},
		{"the docs of login", "docs/alone.md", 0.5, true, true},
		{"login", "go.sum", 0.9, true, false},
		{"login", "alone_test.go", 0.9, true, false},
		{"the tests of login", "alone_test.go", 0.9, true, true},
	} {
		list := []retrieval.LikelyFile{{Path: c.path, Role: string(roles.Of(c.path)), Chance: c.chance, Sure: c.sure}}
		if task(c.task).Settle(list, named); list[0].Sure != c.want {
			t.Errorf("%q, %s with %v: %v", c.task, c.path, c.chance, list[0].Sure)
		}
	}
	list := []retrieval.LikelyFile{{Path: "a_test.go", Role: "test", Chance: 0.3, Sure: true}, {Path: "a.go", Role: "source", Chance: 0.3, Sure: true}}
	if task("login").Settle(list, named); !list[0].Sure || !list[1].Sure {
		t.Errorf("a test next to its source: %+v", list)
	}
}
