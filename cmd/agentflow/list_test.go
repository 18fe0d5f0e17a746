package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentflow/api"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
)

// TestPrintFactsFits cuts a fact to what a terminal shows.
func TestPrintFactsFits(t *testing.T) {
	var out bytes.Buffer
	c := &cli{voice: voice{out: &out, outTTY: true}}
	long := api.Fact{ID: "1", Namespace: "branch/" + strings.Repeat("b", 40), Text: strings.Repeat("漢字 ", 60)}
	c.printFacts([]api.Fact{long, {Text: "by hand"}}, time.Now())
	for line := range strings.Lines(out.String()) {
		if n := textwidth.Cells(strings.TrimSuffix(line, "\n")); n > terminal.Columns() || n < 20 {
			t.Errorf("%d columns of %d: %q", n, terminal.Columns(), line)
		}
	}
	if strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), "…") || !strings.Contains(out.String(), "by hand") {
		t.Errorf("%q", out.String())
	}
}
