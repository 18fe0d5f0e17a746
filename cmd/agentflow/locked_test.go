package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/filelock"
)

// TestLocked: verbs that edit end with their own exit code, soon, while
// another process writes, and say who.
func TestLocked(t *testing.T) {
	l := newLab(t, "say \"Done.\"\n")
	l.agentflow(l.repo, "remember", "The keys hang in the hall.")
	l.agentflow(l.repo, "run", "-q", "Where do the keys hang in the hall?")
	lock, err := filelock.Acquire(t.Context(), filepath.Join(l.repo, ".git/agentflow/lock"), filelock.Self("a test", time.Now()), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	var verbs sync.WaitGroup
	for _, args := range [][]string{{"pin", "last"}, {"forget", "--yes", "last"}, {"forget", "--hit", "last:1"}, {"consolidate"}, {"consolidate", "--dry-run"}} {
		verbs.Go(func() {
			out, err := l.command(l.repo, args...).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitLocked || !strings.Contains(string(out), "a test") || !strings.Contains(string(out), "hint: try again") {
				t.Errorf("%s: %v\n%s", args, err, out)
			}
		})
	}
	verbs.Wait()
}
