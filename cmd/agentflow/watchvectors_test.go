package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWatchCompletesVectors: while a provider is down a watcher goes on
// indexing text, says once what is wrong, and makes it good.
func TestWatchCompletesVectors(t *testing.T) {
	l, p := known(t)
	p.be(down)
	cmd := l.Command("watch", "--debounce", "10ms")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	said := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
			t.Errorf("said %q, want %q", lines.Text(), want)
		}
		t.Fatalf("the watcher ended; want %q", want)
	}
	note := func(name string) {
		l.Write(filepath.Join(".agentflow/memory", name), "# "+name+"\n\nOkapis are shy.\n")
	}
	said("watching")
	note("one.md")
	said("indexed 1 changed file")
	said("warning: completing the vectors: embed 1 texts with openai m")
	note("two.md")
	said("indexed 1 changed file")
	l.wantVectors(1, 2)
	p.be(well)
	said("no vector is missing any more")
	l.wantVectors(3, 0)
	note("three.md")
	said("indexed 1 changed file")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stderr)
	if err := errors.Join(err, cmd.Wait()); err != nil || len(rest) > 0 {
		t.Errorf("ended with %v, said %q", err, rest)
	}
}
