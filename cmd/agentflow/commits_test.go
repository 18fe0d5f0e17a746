package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
)

// settled returns the titles of the commits' entries, after a command that reads
// memory has written them.
func (l *lab) settled() string {
	l.T.Helper()
	l.Agentflow("log", "--all")
	return l.Commits()
}

// hooked returns a lab with hooks and a memory.
func hooked(t *testing.T, script string) *lab {
	l := newLab(t, script)
	l.Agentflow("hook", "install")
	l.Agentflow("init")
	return l
}

// TestSettleCrowd makes commits in many work trees at once, with concurrent readers.
func TestSettleCrowd(t *testing.T) {
	l := hooked(t, "")
	const trees, each = 4, 4
	var work sync.WaitGroup
	for i := range trees {
		dir := filepath.Join(filepath.Dir(l.Repo), fmt.Sprint("tree", i))
		l.Git("worktree", "add", "-q", dir)
		work.Go(func() {
			for n := range each {
				file := fmt.Sprint("file", n)
				if err := os.WriteFile(filepath.Join(dir, file), []byte(dir), 0o600); err != nil {
					t.Error(err)
				}
				for _, args := range [][]string{{"add", file}, {"commit", "-qm", fmt.Sprint("commit ", n, " of ", i)}} {
					if out, err := l.In(dir).TryGit(args...); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				}
			}
		})
	}
	for range 2 {
		work.Go(func() {
			for range 4 {
				if out, err := l.Command("log").CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			}
		})
	}
	work.Wait()
	if got := l.settled(); strings.Count(got, "commit ") != trees*each {
		t.Errorf("settled %s", got)
	}
}

// TestKilledSettle ends the command that writes the entries with SIGKILL at
// random moments. In the end each commit has one entry. AGENTFLOW_COMMAND_KILLS
// sets the number of kills.
func TestKilledSettle(t *testing.T) {
	l := hooked(t, "")
	rounds, random := number(t, "AGENTFLOW_COMMAND_KILLS", 10), rand.New(rand.NewPCG(seed(t), 1))
	for i := range rounds {
		l.Commit("a", fmt.Sprint("a ", i))
		l.Commit("b", fmt.Sprint("b ", i))
		l.killed(upTo(random, 60*time.Millisecond), "log")
	}
	if n := strings.Count(l.settled(), ", ") + 1; n != 2*rounds {
		t.Errorf("%d entries of %d commits", n, 2*rounds)
	}
}

// TestSettleWaitsForRuns: while a run is active no entry is written, because the
// commits may be the run's. A killed run is recovered first.
func TestSettleWaitsForRuns(t *testing.T) {
	l := hooked(t, "sh echo x > x && git add x && git commit -qm 'of the run'\nsay \"there\"\nsilent\n")
	cmd := l.Start("run", "-q", "commit and sleep")
	labtest.Await(t, "the agent's commit", func() bool { return l.Git("log", "-1", "--format=%s") == "of the run" })
	l.Commit("a", "mine")
	if got := l.settled(); got != "" {
		t.Errorf("while it runs: %s", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := l.settled(); got != "mine" {
		t.Errorf("afterwards: %s", got)
	}
	if runs := l.Runs(); len(runs) != 1 || len(runs[0].Commits) != 1 || runs[0].Commits[0].Subject != "of the run" {
		t.Errorf("the run: %+v", runs)
	}
}
