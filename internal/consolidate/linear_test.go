package consolidate

import (
	"fmt"
	"strings"
	"testing"
)

// TestTwiceTheFactsTwiceTheWork counts allocations, which show quadratic work without a clock:
// for many facts of one id, or with the same text.
func TestTwiceTheFactsTwiceTheWork(t *testing.T) {
	for name, bullet := range map[string]func(i int) string{
		"one id":   func(int) string { return "- y <!-- id=z -->\n" },
		"one text": func(i int) string { return fmt.Sprintf("- y <!-- id=%d importance=0.9 -->\n", i) },
	} {
		work := func(facts int) float64 {
			var b strings.Builder
			for i := range facts {
				b.WriteString(bullet(i))
			}
			in := Input{Options: defaults, Now: now, Files: map[string][]byte{"notes.md": []byte("# N\n\n" + b.String())}}
			return testing.AllocsPerRun(1, func() {
				if r := Plan(in); len(r.Actions) != facts-1 {
					t.Fatalf("%s: %d actions for %d facts", name, len(r.Actions), facts)
				}
			})
		}
		if few, many := work(400), work(800); many > 3*few {
			t.Errorf("%s: %.0f allocations for 400 facts, %.0f for 800", name, few, many)
		}
	}
}
