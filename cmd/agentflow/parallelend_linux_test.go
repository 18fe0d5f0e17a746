package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/api"
)

// TestInterruptEndsAllRuns: the first signal ends each run gracefully, with
// what it had done recorded; tasks that wait are not begun.
func TestInterruptEndsAllRuns(t *testing.T) {
	dir := t.TempDir()
	l := newLab(t, fmt.Sprintf("write half.txt \"half\\n\"\nsh touch %s/$AGENTFLOW_RUN_ID\nsilent\n", dir))
	l.write(filepath.Join(dir, "tasks"), "one\ntwo\nthree\n")
	cmd := l.command(l.repo, "run", "--parallel", "2", "--json", "-f", filepath.Join(dir, "tasks"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "two agents", func() bool {
		begun, _ := filepath.Glob(filepath.Join(dir, "*-*"))
		return len(begun) == 2
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v\n%s", err, stderr.String())
	}
	var runs []runObject
	if err := json.Unmarshal(stdout.Bytes(), &runs); err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, r := range runs {
		outcomes = append(outcomes, string(r.Outcome))
		if r.ID != "" && (len(r.Uncommitted) != 1 || !exists(filepath.Join(r.WorktreePath, "half.txt"))) {
			t.Errorf("%s: uncommitted %v in %q", r.Task, r.Uncommitted, r.WorktreePath)
		}
	}
	if want := []string{"interrupted", "interrupted", "not_started"}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	if n := len(l.entries()); n != 2 {
		t.Errorf("%d entries", n)
	}
}

// TestKilledWorktreeRunsLoseNothing ends agentflow with SIGKILL at random
// moments of a run in a work tree of its own. Afterwards each begun run has
// its entry, its commits are on a branch, and status names each work tree with
// a command that takes it away, or refuses because it holds work.
// AGENTFLOW_VERB_KILLS sets how often; AGENTFLOW_SEED repeats a sequence.
func TestKilledWorktreeRunsLoseNothing(t *testing.T) {
	kills := number(t, "AGENTFLOW_VERB_KILLS", 8)
	seed := uint64(number(t, "AGENTFLOW_SEED", int(time.Now().UnixNano()%1_000_000)))
	t.Logf("%d kills, seed %d", kills, seed)
	random := rand.New(rand.NewPCG(seed, 2))
	l := newLab(t, killScript)
	start := time.Now()
	l.agentflow(l.repo, "run", "-q", "--worktree", "calibrate")
	whole := time.Since(start)
	before := l.files(l.repo, ".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs", ".git/logs/refs")
	for i := range kills {
		l.killApart(i, time.Duration(random.Int64N(int64(whole))))
	}
	after := l.files(l.repo, ".agentflow", ".git/agentflow", ".git/objects", ".git/worktrees", ".git/refs", ".git/logs/refs")
	for name, data := range after {
		if before[name] != data {
			t.Errorf("%s of the user's changed to %q", name, data)
		}
	}
	if l.git(l.repo, "rev-list", "--count", "--branches", "^main") == "0" {
		t.Error("no run committed anything")
	}
	l.allNamed()
}

func (l *lab) killApart(round int, after time.Duration) {
	l.t.Helper()
	known := l.journals()
	cmd := l.command(l.repo, "run", "-q", "--worktree", fmt.Sprintf("round %d", round))
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	time.AfterFunc(after, func() { cmd.Process.Signal(syscall.SIGKILL) })
	_ = cmd.Wait()
	fresh := slices.DeleteFunc(l.journals(), func(id string) bool { return slices.Contains(known, id) })
	l.untilQuiet(fresh)
	await(l.t, "git to end", func() bool { return !gitAtWork(l.repo) })
	l.agentflow(l.repo, "status")
	all := l.entries()
	for _, id := range fresh {
		e, ok := all[id]
		if !ok {
			l.t.Fatalf("run %s has a journal and no entry", id)
		}
		for _, c := range e.Commits {
			if !strings.Contains(c.Subject, id) {
				l.t.Fatalf("run %s claims commit %q", id, c.Subject)
			}
			if on := l.git(l.repo, "branch", "--contains", c.ID); !strings.Contains(on, "agentflow/round") {
				l.t.Fatalf("commit %s of run %s is on %q", c.ID, id, on)
			}
		}
	}
}

// gitAtWork says whether a git that agentflow started goes on without it.
func gitAtWork(repo string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && bytes.HasPrefix(line, []byte("git\x00")) && bytes.Contains(line, []byte(repo)) {
			return true
		}
	}
	return false
}

// allNamed holds status to naming each work tree but the user's, and tries
// what it says takes them away.
func (l *lab) allNamed() {
	l.t.Helper()
	var status api.Status
	if err := json.Unmarshal([]byte(l.agentflow(l.repo, "status", "--json")), &status); err != nil {
		l.t.Fatal(err)
	}
	if listed := strings.Count(l.git(l.repo, "worktree", "list"), "\n"); listed != len(status.Trees) || listed == 0 {
		l.t.Fatalf("git lists %d work trees of runs, status names %d", listed, len(status.Trees))
	}
	gone := 0
	for _, tree := range status.Trees {
		cmd := exec.Command("sh", "-c", tree.Remove)
		cmd.Dir, cmd.Env = l.repo, l.env
		holds := l.git(tree.Path, "status", "--porcelain") + l.git(l.repo, "rev-list", "main.."+tree.Branch)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (holds == "") {
			l.t.Errorf("%s: %v\n%s\nit held %q", tree.Remove, err, out, holds)
		}
		if err == nil {
			gone++
		}
	}
	l.t.Logf("%d work trees, %d of them without work", len(status.Trees), gone)
}
