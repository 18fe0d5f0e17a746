package sharing

import (
	"bytes"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/apptest"
)

// TestNamesOfASyncAreQuoted: a name from outside leaves neither its quotes nor its line, and
// nothing in it reaches the terminal's controls.
func TestNamesOfASyncAreQuoted(t *testing.T) {
	evil := "EVIL\"\x1b[2J\r\n\u2028\u009b31m EVIL " + strings.Repeat("x", 1000)
	var out bytes.Buffer
	c := &cli.Env{Voice: cli.Voice{Out: &out, Err: &out, OutTTY: true}, Memory: apptest.Nowhere(t)}
	printSync(c, api.Sync{Remote: evil, Files: []string{evil}, News: []string{evil}, Restored: []string{evil}})
	apptest.CheckQuoted(t, out.String(), "EVIL", 4)
	out.Reset()
	printSync(c, api.Sync{Remote: "r", Refused: []string{evil}})
	if text := out.String(); strings.ContainsAny(text, "\x1b\r\u2028\u009b") || strings.Count(text, "\n") != 2 || len(text) > 1500 {
		t.Errorf("%q", text)
	}
}
