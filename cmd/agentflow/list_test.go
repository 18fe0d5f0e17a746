package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/open"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
)

// TestPrintFactsFits cuts a fact to the width of a terminal.
func TestPrintFactsFits(t *testing.T) {
	var out bytes.Buffer
	c := &cli{voice: voice{out: &out, outTTY: true}, memory: nowhere(t)}
	long := api.Fact{ID: "1", Namespace: "branch/" + strings.Repeat("b", 40), Text: strings.Repeat("漢字 ", 60), File: "memory/MEMORY.md", Line: 3}
	printFacts(c, []api.Fact{long, {Text: "by hand", File: "memory/x.md", Line: 5}}, time.Now())
	for line := range strings.Lines(out.String()) {
		if n := textwidth.Cells(strings.TrimSuffix(line, "\n")); n > terminal.Columns() || n < 20 {
			t.Errorf("%d columns of %d: %q", n, terminal.Columns(), line)
		}
	}
	if !strings.Contains(out.String(), "…\n        memory/MEMORY.md:3\n") || !strings.HasSuffix(out.String(), "by hand  memory/x.md:5\n") {
		t.Errorf("%q", out.String())
	}
}

// nowhere returns the memory of a folder without one.
func nowhere(t *testing.T) *app.Memory {
	t.Helper()
	m, err := open.Open(t.Context(), t.TempDir(), app.Env{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}
