package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/memory"
)

// settled are the titles of the commits' entries, sorted, after a verb that
// reads memory has written them.
func (l *lab) settled() string {
	l.T.Helper()
	l.Agentflow("log", "--all")
	var titles []string
	for _, e := range l.Entries() {
		if e.Kind != memory.KindCommit {
			continue
		}
		title := e.Title
		if e.Worktree != "" {
			title += " in " + e.Worktree
		}
		if e.Branch != "main" {
			title += " on " + e.Branch
		}
		titles = append(titles, title)
	}
	slices.Sort(titles)
	return strings.Join(titles, ", ")
}

// made commits a line more of a file.
func (l *lab) made(dir, file, title string) {
	l.T.Helper()
	old, _ := os.ReadFile(filepath.Join(dir, file))
	l.Write(filepath.Join(dir, file), string(old)+title+"\n")
	l.In(dir).Git("add", file)
	l.In(dir).Git("commit", "-qm", title)
}

// with is the lab with more in its environment.
func (l *lab) with(env ...string) *lab {
	return &lab{*l.Lab.With(env...)}
}

// side makes a branch from what is checked out with a commit of its own, and
// goes back.
func (l *lab) side(file, title string) {
	l.T.Helper()
	l.Git("checkout", "-qb", "side")
	l.made(l.Repo, file, title)
	l.Git("checkout", "-q", "main")
}

// editing is an editor that applies a sed script.
func editing(script string) string {
	return `f() { sed ` + script + ` "$1" >"$1.new" && mv "$1.new" "$1"; }; f`
}

// gitMay is git that may fail.
func (l *lab) gitMay(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.Repo, l.Env
	return cmd.Run()
}

func TestSettle(t *testing.T) {
	for name, act := range settleCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "")
			l.Agentflow("hook", "install")
			l.Agentflow("init")
			want := strings.Split(act(l), ", ")
			slices.Sort(want)
			if got := l.settled(); got != strings.Join(want, ", ") {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if strings.HasPrefix(name, "pulls") {
				return // there is more to be had
			}
			l.Agentflow("backfill")
			added := strings.ReplaceAll(l.settled(), "start on ", "start")
			if want = append(want, "start"); name == "runs" {
				want = append(want, "unrecorded on ") // now that it is asked for
			}
			slices.Sort(want)
			if added != strings.Join(want, ", ") {
				t.Errorf("after backfill\n got %s\nwant %s", added, strings.Join(want, ", "))
			}
		})
	}
}

// TestSettleInOddRepositories: the first commit of all, a shallow clone, and
// SHA-256.
func TestSettleInOddRepositories(t *testing.T) {
	l := newLab(t, "")
	l.made(l.Repo, "a", "two")
	from := l.Repo
	for name, begin := range map[string][]string{
		"unborn": {"init", "-q"}, "SHA-256": {"init", "-q", "--object-format=sha256"}, "shallow": {"clone", "-q", "--depth=1", "file://" + from, "."},
	} {
		l.Repo = filepath.Join(filepath.Dir(from), name)
		l.Write("keep", "")
		if err := os.Remove(filepath.Join(l.Repo, "keep")); err != nil {
			t.Fatal(err)
		}
		l.Git(begin...)
		l.Agentflow("hook", "install")
		l.Agentflow("init")
		l.made(l.Repo, "b", "first here")
		if got := l.settled(); got != "first here" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSettleCrowd has commits in many work trees at once, and readers beside.
func TestSettleCrowd(t *testing.T) {
	l := newLab(t, "")
	l.Agentflow("hook", "install")
	l.Agentflow("init")
	const trees, each = 4, 4
	var work sync.WaitGroup
	for i := range trees {
		dir := filepath.Join(filepath.Dir(l.Repo), fmt.Sprint("tree", i))
		l.Git("worktree", "add", "-q", dir)
		work.Go(func() {
			for n := range each {
				file := fmt.Sprint("file", n)
				for _, args := range [][]string{{"add", file}, {"commit", "-qm", fmt.Sprint("commit ", n, " of ", i)}} {
					if args[0] == "add" {
						if err := os.WriteFile(filepath.Join(dir, file), []byte(dir), 0o600); err != nil {
							t.Error(err)
						}
					}
					cmd := exec.Command("git", args...)
					cmd.Dir, cmd.Env = dir, l.Env
					if out, err := cmd.CombinedOutput(); err != nil {
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

// TestKilledSettle ends the verb that writes the entries with SIGKILL at
// random moments: in the end each commit stands once. AGENTFLOW_COMMAND_KILLS
// sets how often.
func TestKilledSettle(t *testing.T) {
	l := newLab(t, "")
	l.Agentflow("hook", "install")
	l.Agentflow("init")
	rounds := number(t, "AGENTFLOW_COMMAND_KILLS", 10)
	for i := range rounds {
		l.made(l.Repo, "a", fmt.Sprint("a ", i))
		l.made(l.Repo, "b", fmt.Sprint("b ", i))
		cmd := l.Command("log")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(rand.Int64N(int64(60*time.Millisecond))), func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	}
	if n := strings.Count(l.settled(), ", ") + 1; n != 2*rounds {
		t.Errorf("%d entries of %d commits", n, 2*rounds)
	}
}

// TestSettleWaitsForRuns: while a run goes on nothing is written, for its
// commits are its own; a killed one is recovered first.
func TestSettleWaitsForRuns(t *testing.T) {
	l := newLab(t, "sh echo x > x && git add x && git commit -qm 'of the run'\nsay \"there\"\nsilent\n")
	l.Agentflow("hook", "install")
	l.Agentflow("init")
	cmd := l.Command("run", "-q", "commit and sleep")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); l.Git("log", "-1", "--format=%s") != "of the run"; {
		if time.Now().After(deadline) {
			t.Fatal("the agent does not commit")
		}
	}
	l.made(l.Repo, "a", "mine")
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
