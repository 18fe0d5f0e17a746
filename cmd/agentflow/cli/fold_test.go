package cli

import "testing"

// TestFolded folds between words, but not within a command that people copy. Tests have no
// terminal, so lines have 80 columns.
func TestFolded(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short",
		"  - a line that is longer than the eighty columns of the terminal that there is not here": "  - a line that is longer than the eighty columns of the terminal that\n    there is not here",
		"the memory of this repository went away, but 'agentflow memory restore 3f9a1c' brings it": "the memory of this repository went away, but\n  'agentflow memory restore 3f9a1c' brings it",
	} {
		if got := folded(text, 0); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}
