package files

import (
	"testing"

	"agentflow/memory"
)

// TestSettle: a prompt shows a sure file if an entry names it or if the file is likely enough,
// and no document in passing.
func TestSettle(t *testing.T) {
	named := func(path string) bool { return path == "named.go" || path == "docs/named.md" }
	for _, c := range []struct {
		path       string
		chance     float64
		sure, want bool
	}{
		{"named.go", 0.15, true, true},
		{"named.go", 0.14, false, false},
		{"alone.go", 0.25, true, true},
		{"alone.go", 0.24, true, false},
		{"docs/named.md", 0.4, true, false},
		{"docs/alone.md", 0.5, true, true},
	} {
		list := []memory.LikelyFile{{Path: c.path, Chance: c.chance, Sure: c.sure}}
		if task("login").Settle(list, named); list[0].Sure != c.want {
			t.Errorf("%s with %v: %v", c.path, c.chance, list[0].Sure)
		}
	}
}
