package main

import (
	"strings"
	"testing"

	"agentflow/internal/testing/ptytest"
)

// TestPreviewAtATerminal: on a terminal preview pins and forgets what a line names, and shows
// the list again.
func TestPreviewAtATerminal(t *testing.T) {
	l := newLab(t, "say Done.\n")
	id := strings.TrimSpace(l.Agentflow("remember", "Run the tests with uv run pytest -q"))
	p := ptytest.Start(t, l.Command("preview"), 160)
	p.Await("begins with", "1 fact and 0 entries", "q quits: ")
	p.Type("p " + id + "\n")
	p.Await("pinned, stated by a person")
	p.Type("x " + id + "\n")
	p.Await(`"x" is none of p, d, e and q`)
	p.Type("d " + id + "\n")
	p.Await("memory restore "+id, "0 facts and 0 entries")
	p.Type("q\n")
	if code := p.Ended(); code != exitOK {
		t.Errorf("it ends with %d", code)
	}
}
