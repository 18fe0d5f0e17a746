package chunk

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory/markdown"
)

// TestPiecesOfAListKnowWhatItStandsUnder: the heading of a piece that begins within a list that a
// person forbids, and of a fact with a separate piece, shows the prohibition.
func TestPiecesOfAListKnowWhatItStandsUnder(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules\n\nNever on production:\n\n")
	for range 40 {
		b.WriteString("- apply this with the tool\n")
	}
	b.WriteString("- switch it off <!-- id=0199aaaa-0000-7000-8000-000000000001 ns=branch/x -->\n")
	n := 0
	for k := range All("x.md", markdown.Parse([]byte(b.String())), 60, 0, time.Now()) {
		n++
		if !strings.Contains(k.Heading, "Never on production") && !strings.Contains(k.Text, "Never on production") {
			t.Errorf("lines %d to %d stand under %q", k.StartLine, k.EndLine, k.Heading)
		}
	}
	if n < 4 {
		t.Errorf("%d pieces", n)
	}
}
