package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/ptytest"
)

// TestRunAtATerminalShowsWhatTheAgentSays as it comes, dim and without its tags,
// above the answer, which is shown once. --quiet and a pipe show only the answer.
func TestRunAtATerminalShowsWhatTheAgentSays(t *testing.T) {
	l := newLab(t, "say \"Reading\\x1b[2J first.\\nThen writing.\\n<save_memory>it is so</save_memory>\"\nwrite a.txt x\nsay Done.\n")
	l.Env = append(l.Env, "NO_COLOR=", "TERM=xterm")
	p := ptytest.Start(t, l.Command("run", "Do it"), 100)
	p.Await("\x1b[2mReading first.\nThen writing.\x1b[0m\n", "Done.\n")
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	if screen := p.Screen(); strings.Count(screen, "Done.") != 1 || strings.Contains(screen, "save_memory") || strings.Contains(screen, "\x1b[2J") {
		t.Errorf("the terminal shows %q", screen)
	}
	p = ptytest.Start(t, l.Command("run", "--quiet", "Do it"), 100)
	p.Await("Done.\n")
	p.Ended()
	if screen := p.Screen(); screen != "Done.\n" {
		t.Errorf("--quiet shows %q", screen)
	}
	if out := l.Agentflow("run", "Do it"); out != "Done.\n" {
		t.Errorf("a pipe gets %q", out)
	}
}

// TestRunPipedToTheTerminal checks that progress has lines of its own if a reader
// of the answer, such as tee, writes to the same terminal.
func TestRunPipedToTheTerminal(t *testing.T) {
	l := newLab(t, "read a.txt\nsh sleep 0.6\nsay Done.\n")
	l.Write("a.txt", "x")
	l.Env = append(l.Env, "NO_COLOR=", "TERM=xterm")
	run := l.Command("run", "Do it")
	pipe := exec.Command("sh", append([]string{"-c", `"$0" "$@" | tee answer.txt`}, run.Args...)...)
	pipe.Env, pipe.Dir = run.Env, run.Dir
	p := ptytest.Start(t, pipe, 100)
	p.Await("Done.\n")
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	if screen := p.Screen(); !regexp.MustCompile(`(?m)^Done\.$`).MatchString(screen) || strings.Contains(screen, "\x1b[J") || !strings.Contains(screen, ": Read a.txt") {
		t.Errorf("the terminal shows %q", screen)
	}
}
