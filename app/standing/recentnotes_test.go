package standing

import (
	"fmt"
	"strings"
	"testing"
)

// The end of a file begins with an entry, and its lines keep their numbers.
func TestLastEntries(t *testing.T) {
	text := "# Day\n"
	for n := range 100 {
		text += fmt.Sprintf("\n## entry %d\n\nSome words.\n", n)
	}
	for most := range len(text) + 10 {
		end, before := lastEntries([]byte(text), most)
		switch {
		case len(end) > most:
			t.Fatalf("%d bytes of %d", len(end), most)
		case most >= len(text):
			if len(end) != len(text) || before != 0 {
				t.Fatalf("%d bytes after %d lines, of a file that is short enough", len(end), before)
			}
		case len(end) > 0:
			if !strings.HasPrefix(string(end), "## entry ") || strings.Count(text[:len(text)-len(end)], "\n") != before {
				t.Fatalf("at %d: %d lines before %.20q", most, before, end)
			}
		}
	}
}
