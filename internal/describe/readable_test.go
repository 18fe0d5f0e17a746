package describe

import (
	"testing"
	"time"
)

func TestReadableWords(t *testing.T) {
	for line, want := range map[string]string{
		"- asked: …by the editor":           "- the rest of the title: …by the editor",
		`\* fix the wildcard`:               "  * fix the wildcard",
		"- asked: Add a test":               "- asked: Add a test",
		"## Why is the total 0.: discussed": "## Why is the total 0: discussed",
		"## Why is the total 0?: discussed": "## Why is the total 0?: discussed",
		"## Use v1.: the second one":        "## Use v1.: the second one",
		"The total is 0.: discussed":        "The total is 0.: discussed",
		"- meanwhile: docs/a.md":            "- changed meanwhile, but not by the agent: docs/a.md",
		"- changed: a.go +1 −0 (committed meanwhile in a770ecc), b.go +1 −0": "- changed: a.go +1 −0 (committed later in a770ecc), b.go +1 −0",
		"- note: committed meanwhile as a770ecc: Add a test":                 "- note: committed later as a770ecc: Add a test",
		"A test was committed meanwhile in a770ecc.":                         "A test was committed meanwhile in a770ecc.",
	} {
		if got := Readable(line, time.Time{}); len(got) != 1 || got[0].Text != want {
			t.Errorf("%q: %v, want %q", line, got, want)
		}
	}
}

// Lines of fenced code are marked, and stay as they are.
func TestReadableCode(t *testing.T) {
	lines := Readable("~~~\n- asked: …x\n~~~\n- asked: …x", time.Time{})
	for i, want := range []ReadableLine{{Text: "~~~", Code: true}, {Text: "- asked: …x", Code: true}, {Text: "~~~", Code: true}, {Text: "- the rest of the title: …x"}} {
		if lines[i] != want {
			t.Errorf("line %d: %+v, want %+v", i, lines[i], want)
		}
	}
}
