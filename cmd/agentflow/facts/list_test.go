package facts

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/terminal"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/textwidth"
)

// TestPrintFactsFits cuts a fact to the width of a terminal.
func TestPrintFactsFits(t *testing.T) {
	var out bytes.Buffer
	c := &cli.Env{Voice: cli.Voice{Out: &out, OutTTY: true}, Memory: apptest.Nowhere(t)}
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

// A terminal shows a heading above the columns, which programs do not get.
func TestPrintFactsHeading(t *testing.T) {
	fact := api.Fact{ID: "0199f0c4-0000-7000-8000-000000abcdef", Type: "semantic", Importance: 0.5, Namespace: "project", Text: "Use tabs.", File: "memory/MEMORY.md", Line: 3, Uses: &api.Uses{Prompt: 2}}
	const heading = "id      date        type        imp.  namespace  used    fact\n"
	for terminal, want := range map[bool]string{
		true:  heading + "abcdef              semantic     0.5  project       2 ×  Use tabs.\n        memory/MEMORY.md:3\n",
		false: "abcdef              semantic     0.5  project     2 ×  Use tabs.  memory/MEMORY.md:3\n",
	} {
		var out bytes.Buffer
		c := &cli.Env{Voice: cli.Voice{Out: &out, OutTTY: terminal}, Memory: apptest.Nowhere(t)}
		if printFacts(c, []api.Fact{fact}, time.Now()); out.String() != want {
			t.Errorf("%v:\n%s, want\n%s", terminal, out.String(), want)
		}
	}
}
