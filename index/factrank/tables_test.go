package factrank

import (
	"slices"
	"testing"
)

// TestTables checks that the tables fit into their bit sets, and that the
// constants name the right lines.
func TestTables(t *testing.T) {
	if len(concepts()) > 64 || len(kinds()) > 64 || len(acts()) > 64 || table().senses > 256 {
		t.Errorf("%d concepts, %d kinds, %d acts, %d senses", len(concepts()), len(kinds()), len(acts()), table().senses)
	}
	if first := kinds()[:8]; !slices.Equal(first, []string{"fix", "add", "change", "remove", "tidy", "write", "works", "idle"}) {
		t.Errorf("the first kinds are %v", first)
	}
	if acts()[obligeAct] != "oblige" {
		t.Errorf("act %d is %s", obligeAct, acts()[obligeAct])
	}
	callsFor() // panics if the table names something that does not exist
	if len(own) != OwnCount() || len(needed) != SignalCount() {
		t.Errorf("%d and %d weights for %d and %d signals", len(own), len(needed), OwnCount(), SignalCount())
	}
}

func TestHeadLength(t *testing.T) {
	for text, want := range map[string]string{
		"UI changes: look at both themes":                  "UI changes",
		"Never edit go.mod by hand. It is generated.":      "Never edit go.mod by hand",
		"one two three four five six seven eight nine ten": "one two three four five six seven eight",
		"Tests": "Tests",
		"Every visible string goes through i18n, in two files": "Every visible string goes through i18n",
	} {
		if got := text[:headLength(text)]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPathsOfFacts(t *testing.T) {
	f := &fact{Fact: Fact{Paths: []string{"web/**", "docs"}}, names: pathsIn("Edit `src/a.go` and cmd/x/, not https://x.org/y or v1.")}
	for name, want := range map[string]bool{"web/a/b.ts": true, "docs/x.md": true, "webs/a": false, "": false} {
		if f.covers(name) != want {
			t.Errorf("covers %q: %v", name, !want)
		}
	}
	for name, want := range map[string]float64{"src/a.go": 1, "lib/src/a.go": 1, "cmd/x/main.go": 0.5, "a.go": 0} {
		if got := f.mentions(name); got != want {
			t.Errorf("mentions %q: %v, want %v", name, got, want)
		}
	}
}
