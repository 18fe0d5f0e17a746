package main

import (
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/ptytest"
)

// TestPreviewAtATerminal: on a terminal keys select a line of a preview, and pin, edit and drop
// its item. Facts that do not fit are counted, and a key lists them.
func TestPreviewAtATerminal(t *testing.T) {
	l := newLab(t, "say Done.\n")
	l.Env = append(l.Env, "TERM=xterm", "EDITOR=sed -i s/Tuesdays/Fridays/")
	first := strings.TrimSpace(l.Agentflow("remember", "Run the tests with uv run pytest -q"))
	second := strings.TrimSpace(l.Agentflow("remember", "Deploys of the shop go out on Tuesdays"))
	l.Agentflow("pin", first)
	l.Agentflow("config", "set", "recall.standing", "18")
	p := ptytest.Start(t, l.Command("preview"), 100)
	p.Await("begins with 1 fact and 0 entries", "> "+first+"  Run the tests", "pinned, stated by a person", "1 more fact does not fit: l lists them", "[q]uit ")
	for _, step := range []struct {
		key  string
		want []string
	}{
		{"?", []string{"d         drop it"}},
		{"l", []string{"> " + first, "1 more fact does not fit", "  " + second + "  Deploys"}},
		{"\x1b[B", []string{"> " + second}},
		{"k", []string{"> " + first}},
		{"x", []string{"> " + first}},
		{"j", []string{"> " + second}},
		{"e", []string{"> " + second + "  Deploys of the shop go out on Fridays"}},
		{"d", []string{"dropped " + second, "memory restore " + second, "> " + first}},
		{"p", []string{"unpinned " + first, "> " + first}},
		{"p", []string{"agentflow: pinned " + first, "> " + first}},
	} {
		if p.Type(step.key); step.key == "d" {
			p.Await("drop "+second+" from memory: Deploys", "[y/N]")
			p.Type("y\r")
		}
		p.Await(append(step.want, "[q]uit ")...)
	}
	p.Type(ptytest.Interrupt)
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	if out := l.Agentflow("memory", "list"); !strings.Contains(out, "uv run pytest") || strings.Contains(out, "Deploys") {
		t.Errorf("memory holds:\n%s", out)
	}
}

// TestPreviewEndsWithItsLastLine checks that a preview on a terminal ends once no line is left to choose.
func TestPreviewEndsWithItsLastLine(t *testing.T) {
	l := newLab(t, "say Done.\n")
	id := strings.TrimSpace(l.Agentflow("remember", "Run the tests with uv run pytest -q"))
	p := ptytest.Start(t, l.Command("preview"), 40)
	p.Await("> "+id, "…")
	p.Type("d")
	p.Await("[y/N]")
	p.Type("y\r")
	p.Await("dropped "+id, "begins with 0 facts", "hint: a session begins with facts")
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
}
