package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/filelock"
)

// TestLocked: while another process writes, commands that edit end soon, with a separate
// exit code, and name that process.
func TestLocked(t *testing.T) {
	l := newLab(t, "say \"Done.\"\n")
	l.Agentflow("run", "-q", "Hang the keys in the hall")
	l.Agentflow("run", "-q", "Where do the keys hang in the hall?")
	lock, err := filelock.Acquire(t.Context(), filepath.Join(l.Repo, ".git/agentflow/lock"), filelock.Self("a test", time.Now()), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	var commands sync.WaitGroup
	for _, args := range [][]string{{"pin", "last"}, {"forget", "--yes", "last"}, {"forget", "--hit", "last:1"}, {"consolidate"}, {"consolidate", "--dry-run"}} {
		commands.Go(func() {
			out, err := l.Command(args...).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitLocked || !strings.Contains(string(out), "a test") || !strings.Contains(string(out), "hint: try again") {
				t.Errorf("%s: %v\n%s", args, err, out)
			}
		})
	}
	commands.Wait()
}
