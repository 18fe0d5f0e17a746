package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/ptytest"
)

// TestPager: at a terminal long lists go through the pager that the user has
// named, or less; keys are for it, and however it ends the command ended well.
func TestPager(t *testing.T) {
	l := newLab(t, "say Done.\n")
	l.Env = append(l.Env, "NO_COLOR=", "TERM=xterm")
	var day strings.Builder
	for i := range 60 {
		fmt.Fprintf(&day, "## 2026-11-20 10:%02d · Task number %d.\n\n<!-- agentflow v=1 kind=run id=0193aaaa-0000-7000-8000-00000000e0%02d time=2026-11-20T10:%02d:00Z agent=claude outcome=ok -->\n\n---\n\n", i, i, i, i)
	}
	l.Write(".agentflow/memory/2026-11-20.md", day.String())
	at := func(pager string, args ...string) *ptytest.Terminal {
		cmd := l.Command(args...)
		if pager != "" {
			cmd.Env = append(cmd.Env, "AGENTFLOW_PAGER="+pager)
		}
		return ptytest.Start(t, cmd, 100)
	}
	ended := func(p *ptytest.Terminal) {
		t.Helper()
		if code := p.Ended(); code != cli.ExitOK {
			t.Errorf("it ends with %d", code)
		}
	}
	for pager, want := range map[string]string{
		"sed s/^/P:/":       "P:\x1b[2m00e000", // with colours
		"sed 's/^/P:/'|cat": "P:\x1b[2m00e000",
		"no-such-pager":     "\n\x1b[2m00e000",
		"cat":               "\n\x1b[2m00e000",
	} {
		p := at(pager, "log", "-n", "0")
		p.Await(want)
		ended(p)
	}
	p := at("head -n 1", "log", "-n", "0") // ends before all is written
	p.Await("00e059")
	ended(p)
	p = at(`sh -c "trap '' INT; cat; sleep 1.2; echo LEFT"`, "log") // Ctrl-C is for the pager, which stays longer than a command may
	p.Await("00e059")
	p.Type(ptytest.Interrupt)
	p.Await("LEFT")
	ended(p)
	p = at("sed s/^/P:/", "log", "-n", "0", "--no-pager")
	p.Await("\n\x1b[2m00e000")
	ended(p)
	p = at("sed s/^/P:/", "log", "--kind", "note") // nothing is printed
	p.Await("holds no entry")
	ended(p)
	if strings.Contains(p.Screen(), "P:") {
		t.Error("a pager without text began")
	}
	if out := l.Agentflow("log", "-n", "0"); strings.Count(out, "\n") != 60 {
		t.Errorf("a pipe gets %q", out)
	}
	if _, err := exec.LookPath("less"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI has no less, the default pager")
		}
		t.Skip("less, the default pager, is not installed")
	}
	p = at("", "log", "-n", "0")
	p.Await("00e059", "00e037  ") // a screen of it
	p.Type(" ")
	p.Await("00e016")
	p.Type("q")
	ended(p)
	if strings.Contains(p.Screen(), "Task number 0.") {
		t.Error("less showed all at once")
	}
	p = at("", "log", "-n", "3") // fits on the screen
	p.Await("00e057")
	ended(p)
}
