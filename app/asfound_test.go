package app

import (
	"testing"

	"agentflow/index"
	"agentflow/memory"
)

// TestAsFound marks the word that was meant, also in a hit that another hit's
// terms tell of.
func TestAsFound(t *testing.T) {
	hits := []memory.Hit{{Explain: &memory.Explain{Terms: []string{"gap", "invoice"}}}, {}, {Explain: &memory.Explain{Terms: []string{"invoice"}}}}
	if got, want := asFound("invocie gap", hits), "invocie gap\ngap invoice"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	text := "two invoices"
	spans := index.Highlighter(asFound("invocie gap", hits))(text)
	if len(spans) != 1 || text[spans[0].Start:spans[0].End] != "invoices" {
		t.Errorf("marked %v", spans)
	}
}
