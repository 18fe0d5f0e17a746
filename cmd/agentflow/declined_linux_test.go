package main

import (
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/ptytest"
)

// TestNoIsNoError answers every question with no, or with the end of the input: the command
// changes nothing, reports that, and exits with 0.
func TestNoIsNoError(t *testing.T) {
	l := labtest.Repository(t)
	l.Env = append(l.Env, "TERM=xterm")
	remote := t.TempDir()
	l.Git("init", "-q", "--bare", remote)
	l.Git("remote", "add", "origin", remote)
	l.Git("remote", "add", "other", remote)
	l.Agentflow("remember", "The okapi eats leaves.")
	l.Write("in/a.md", "# A\n\n- The seal eats fish.\n")
	l.Agentflow("memory", "import", "in")
	l.Write(".agentflow/config.toml", "[agent]\nmodel = \"m\"\n")
	before := l.Agentflow("memory", "list")
	no := func(args ...string) {
		t.Helper()
		for _, answer := range []string{"n\n", ptytest.End} {
			p := ptytest.Start(t, l.Command(args...), 120)
			p.Await("[y/N] ")
			p.Type(answer)
			code := p.Ended()
			if screen := p.Screen(); code != cli.ExitOK || strings.Contains(screen, "error") || !strings.Contains(screen, "agentflow: nothing was changed") {
				t.Errorf("%v ends with %d:\n%s", args, code, screen)
			}
		}
	}
	no("forget", "last")
	no("memory", "undo")
	no("trust")
	no("uninstall")
	no("connect", "--hooks", "claude")
	no("share")
	l.Agentflow("share", "--yes")
	no("share", "--stop", "--withdraw")
	if after := l.Agentflow("memory", "list"); after != before {
		t.Errorf("memory holds:\n%s\nnot:\n%s", after, before)
	}
	if out := l.Agentflow("share", "--status"); !strings.Contains(out, "of this clone") {
		t.Errorf("sharing ended: %s", out)
	}
}
