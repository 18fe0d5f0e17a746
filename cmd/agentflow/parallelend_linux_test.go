package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/labtest"
)

// TestInterruptEndsAllRuns: the first signal ends each run gracefully and
// records its work. Waiting tasks are not begun.
func TestInterruptEndsAllRuns(t *testing.T) {
	dir := t.TempDir()
	l := newLab(t, fmt.Sprintf("write half.txt \"half\\n\"\nsh touch %s/$AGENTFLOW_RUN_ID\nsilent\n", dir))
	l.Write(filepath.Join(dir, "tasks"), "one\ntwo\nthree\n")
	p := l.Start("run", "--parallel", "2", "--json", "-f", filepath.Join(dir, "tasks"))
	labtest.Await(t, "two agents", func() bool {
		begun, _ := filepath.Glob(filepath.Join(dir, "*-*"))
		return len(begun) == 2
	})
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := p.Wait(); !errors.As(err, &ended) || ended.ExitCode() != cli.ExitInterrupted {
		t.Errorf("ended with %v\n%s", err, &p.Err)
	}
	var runs []runObject
	if err := json.Unmarshal([]byte(p.Out.String()), &runs); err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, r := range runs {
		outcomes = append(outcomes, string(r.Outcome))
		if r.ID != "" && (len(r.Uncommitted) != 1 || !l.Exists(filepath.Join(r.WorktreePath, "half.txt"))) {
			t.Errorf("%s: uncommitted %v in %q", r.Task, r.Uncommitted, r.WorktreePath)
		}
	}
	if want := []string{"interrupted", "interrupted", "not_started"}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	if n := len(l.Entries()); n != 2 {
		t.Errorf("%d entries", n)
	}
}

// TestKilledWorktreeRunsLoseNothing ends agentflow with SIGKILL at random
// moments of a run in a separate work tree. Afterwards each begun run has
// its entry, its commits are on a branch, and status names each work tree with
// a command that removes it, or refuses because it holds work.
// AGENTFLOW_COMMAND_KILLS sets how often; AGENTFLOW_SEED repeats a sequence.
func TestKilledWorktreeRunsLoseNothing(t *testing.T) {
	kills := number(t, "AGENTFLOW_COMMAND_KILLS", 8)
	random := rand.New(rand.NewPCG(seed(t), 2))
	l := newLab(t, killScript)
	start := time.Now()
	l.Agentflow("run", "-q", "--worktree", "calibrate")
	whole := time.Since(start)
	before := l.files(l.Repo, ".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs", ".git/logs/refs")
	for i := range kills {
		l.killApart(i, upTo(random, whole))
	}
	after := l.files(l.Repo, ".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs", ".git/logs/refs")
	for name, data := range after {
		if before[name] != data {
			t.Errorf("%s of the user's changed to %q", name, data)
		}
	}
	if l.Git("rev-list", "--count", "--branches", "^main") == "0" {
		t.Error("no run committed anything")
	}
	l.allNamed()
}

func (l *lab) killApart(round int, after time.Duration) {
	l.T.Helper()
	known := l.journals()
	l.killed(after, "run", "-q", "--worktree", fmt.Sprintf("round %d", round))
	fresh := slices.DeleteFunc(l.journals(), func(id string) bool { return slices.Contains(known, id) })
	l.untilQuiet(fresh)
	l.Agentflow("status")
	all := l.Entries()
	for _, id := range fresh {
		e, ok := all[id]
		if !ok {
			l.T.Fatalf("run %s has a journal and no entry", id)
		}
		for _, c := range e.Commits {
			if !strings.Contains(c.Subject, id) {
				l.T.Fatalf("run %s claims commit %q", id, c.Subject)
			}
			if on := l.Git("branch", "--contains", c.ID); !strings.Contains(on, "agentflow/round") {
				l.T.Fatalf("commit %s of run %s is on %q", c.ID, id, on)
			}
		}
	}
}

// allNamed checks that status names each work tree but the user's, and tries
// the commands that status gives for removing them.
func (l *lab) allNamed() {
	l.T.Helper()
	status := l.status()
	if listed := strings.Count(l.Git("worktree", "list"), "\n"); listed != len(status.Trees) || listed == 0 {
		l.T.Fatalf("git lists %d work trees of runs, status names %d", listed, len(status.Trees))
	}
	gone := 0
	for _, tree := range status.Trees {
		cmd := exec.Command("sh", "-c", tree.Remove)
		cmd.Dir, cmd.Env = l.Repo, l.Env
		holds := l.In(tree.Path).Git("status", "--porcelain") + l.Git("rev-list", "main.."+tree.Branch)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (holds == "") {
			l.T.Errorf("%s: %v\n%s\nit held %q", tree.Remove, err, out, holds)
		}
		if err == nil {
			gone++
		}
	}
	l.T.Logf("%d work trees, %d of them without work", len(status.Trees), gone)
}
