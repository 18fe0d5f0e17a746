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
	l.t.Helper()
	l.agentflow(l.repo, "log", "--all")
	var titles []string
	for _, e := range l.entries() {
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
	l.t.Helper()
	old, _ := os.ReadFile(filepath.Join(dir, file))
	l.write(filepath.Join(dir, file), string(old)+title+"\n")
	l.git(dir, "add", file)
	l.git(dir, "commit", "-qm", title)
}

// with is the lab with more in its environment.
func (l *lab) with(env ...string) *lab {
	more := *l
	more.env = append(slices.Clone(l.env), env...)
	return &more
}

// side makes a branch from what is checked out with a commit of its own, and
// goes back.
func (l *lab) side(file, title string) {
	l.t.Helper()
	l.git(l.repo, "checkout", "-qb", "side")
	l.made(l.repo, file, title)
	l.git(l.repo, "checkout", "-q", "main")
}

// settleCases do something in a repository with hooks and say what entries of
// commits memory holds then. The commit from before the hooks has none.
var settleCases = map[string]func(l *lab) string{
	"commits": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.made(l.repo, "a", "two")
		return "one, two"
	},
	"a merge, its own resolution": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "a", "mine")
		_ = l.gitMay("merge", "-q", "side")
		l.write(filepath.Join(l.repo, "a"), "both\n")
		l.git(l.repo, "add", "a")
		l.git(l.repo, "commit", "-qm", "resolved")
		l.made(l.repo, "b", "after")
		return "aside on side, mine, resolved, after"
	},
	"a merge without a word": func(l *lab) string {
		l.side("a", "aside")
		l.git(l.repo, "merge", "-q", "--no-ff", "-m", "brought", "side")
		l.made(l.repo, "b", "after")
		return "aside on side, brought, after"
	},
	"a squash merge": func(l *lab) string {
		l.side("a", "aside")
		l.git(l.repo, "merge", "-q", "--squash", "side")
		l.git(l.repo, "commit", "-qm", "squashed")
		return "aside on side, squashed"
	},
	"cherry-picks of others and of one's own": func(l *lab) string {
		l.side("a", "aside")
		l.settled()
		l.git(l.repo, "cherry-pick", "side")
		foreign := l.git(l.repo, "commit-tree", "-m", "foreign", "-p", "HEAD", l.git(l.repo, "write-tree"))
		l.git(l.repo, "cherry-pick", "--allow-empty", foreign)
		l.made(l.repo, "b", "after")
		return "aside on side, foreign, after"
	},
	"a revert, and doing it again": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.git(l.repo, "revert", "--no-edit", "HEAD")
		l.git(l.repo, "revert", "--no-edit", "HEAD")
		l.made(l.repo, "b", "after")
		title := strings.Split(l.git(l.repo, "log", "-3", "--format=%s"), "\n")
		return "one, Revert \"one\", " + title[1] + ", after"
	},
	"a rebase": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "b", "main goes on")
		l.settled()
		l.git(l.repo, "rebase", "-q", "main", "side")
		l.made(l.repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"a rebase before anything was read": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "b", "main goes on")
		l.git(l.repo, "rebase", "-q", "main", "side")
		return "main goes on, aside on side"
	},
	"a rebase with a conflict, read in the middle": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "a", "main goes on")
		l.settled()
		_ = l.gitMay("rebase", "-q", "main", "side")
		l.settled()
		l.write(filepath.Join(l.repo, "a"), "both\n")
		l.git(l.repo, "add", "a")
		l.settled()
		l.with("GIT_EDITOR=true").git(l.repo, "rebase", "--continue")
		l.made(l.repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"an interactive rebase": func(l *lab) string {
		for _, title := range []string{"one", "two", "three"} {
			l.made(l.repo, title, title)
		}
		l.settled()
		l.made(l.repo, "four", "four")
		// one stays, two is reworded, three and four become one.
		l.with("GIT_SEQUENCE_EDITOR="+editing("-e 2s/pick/reword/ -e 4s/pick/fixup/"), "GIT_EDITOR="+editing("-e s/two/zwei/")).git(l.repo, "rebase", "-qi", "HEAD~4")
		return "one, two, three, three"
	},
	"amends": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.settled()
		l.git(l.repo, "commit", "-q", "--amend", "-m", "one better")
		l.made(l.repo, "a", "two")
		l.git(l.repo, "commit", "-q", "--amend", "-m", "two better")
		l.git(l.repo, "commit", "-q", "--amend", "-m", "two best")
		return "one, two best"
	},
	"what was forgotten": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.made(l.repo, "b", "two")
		l.settled()
		for id, e := range l.entries() {
			if e.Title == "two" {
				l.agentflow(l.repo, "forget", "--yes", id)
			}
		}
		for i := range 3 {
			l.git(l.repo, "commit", "-q", "--amend", "-m", fmt.Sprint("two again ", i))
			l.settled()
		}
		return "one"
	},
	"a linked work tree, removed before anything was read": func(l *lab) string {
		linked := filepath.Join(filepath.Dir(l.repo), "linked")
		l.git(l.repo, "worktree", "add", "-q", "-b", "topic", linked)
		l.made(linked, "a", "one")
		l.made(linked, "a", "two")
		l.git(linked, "merge", "-q", "--no-ff", "-m", "nothing", "main")
		l.git(l.repo, "worktree", "remove", linked)
		l.git(l.repo, "merge", "-q", "--no-ff", "-m", "brought", "topic")
		return "one in linked on topic, two in linked on topic, brought"
	},
	"detached": func(l *lab) string {
		l.git(l.repo, "checkout", "-q", "--detach")
		l.made(l.repo, "a", "one")
		return "one on "
	},
	"a day edited by hand": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.settled()
		days, err := filepath.Glob(filepath.Join(l.repo, ".agentflow/memory/[0-9]*.md"))
		if err != nil || len(days) != 1 {
			l.t.Fatal(days, err)
		}
		text, err := os.ReadFile(days[0])
		if err != nil {
			l.t.Fatal(err)
		}
		l.write(days[0], strings.Replace(string(text), "**Task**: one", "**Task**: one, by hand", 1))
		l.made(l.repo, "a", "two")
		return "one, two"
	},
	"pulls of a few and of many": func(l *lab) string {
		there := filepath.Join(filepath.Dir(l.repo), "there")
		l.git(l.repo, "clone", "-q", l.repo, there)
		l.git(l.repo, "remote", "add", "origin", there)
		l.made(there, "x", "theirs")
		l.git(l.repo, "pull", "-q", "origin", "main")
		l.made(there, "x", "theirs too")
		l.made(l.repo, "a", "mine")
		l.git(l.repo, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		many := l.git(there, "rev-parse", "HEAD")
		for i := range maxBrought {
			many = l.git(there, "commit-tree", "-m", fmt.Sprint("of many ", i), "-p", many, "HEAD^{tree}")
		}
		l.git(there, "update-ref", "HEAD", many)
		l.git(l.repo, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		l.made(l.repo, "a", "after")
		merges := strings.Split(l.git(l.repo, "log", "--merges", "--format=%s"), "\n")
		return "theirs, theirs too on , mine, " + memory.Title(merges[1]) + ", " + memory.Title(merges[0]) + ", after"
	},
	"the same change again and again": func(l *lab) string {
		for _, text := range []string{"x\n", "", "x\n", ""} {
			l.write(filepath.Join(l.repo, "a"), text)
			l.git(l.repo, "add", "a")
			l.git(l.repo, "commit", "-qm", "wip")
		}
		return "wip, wip, wip, wip"
	},
	"runs": func(l *lab) string {
		l.agentflow(l.repo, "run", "-q", "--agent", "command", "task", "--", "sh", "-c", "echo x > x; git add x; git commit -qm 'of a run'")
		l.agentflow(l.repo, "run", "-q", "--no-record", "--agent", "command", "task", "--", "sh", "-c", "echo y > y; git add y; git commit -qm unrecorded")
		l.made(l.repo, "a", "mine")
		return "mine"
	},
}

// editing is an editor that applies a sed script.
func editing(script string) string {
	return `f() { sed ` + script + ` "$1" >"$1.new" && mv "$1.new" "$1"; }; f`
}

// gitMay is git that may fail.
func (l *lab) gitMay(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.repo, l.env
	return cmd.Run()
}

func TestSettle(t *testing.T) {
	for name, act := range settleCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "")
			l.agentflow(l.repo, "hook", "install")
			l.agentflow(l.repo, "init")
			want := strings.Split(act(l), ", ")
			slices.Sort(want)
			if got := l.settled(); got != strings.Join(want, ", ") {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if strings.HasPrefix(name, "pulls") {
				return // there is more to be had
			}
			l.agentflow(l.repo, "backfill")
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
	l.made(l.repo, "a", "two")
	from := l.repo
	for name, begin := range map[string][]string{
		"unborn": {"init", "-q"}, "SHA-256": {"init", "-q", "--object-format=sha256"}, "shallow": {"clone", "-q", "--depth=1", "file://" + from, "."},
	} {
		l.repo = filepath.Join(filepath.Dir(from), name)
		l.write(filepath.Join(l.repo, "keep"), "")
		if err := os.Remove(filepath.Join(l.repo, "keep")); err != nil {
			t.Fatal(err)
		}
		l.git(l.repo, begin...)
		l.agentflow(l.repo, "hook", "install")
		l.agentflow(l.repo, "init")
		l.made(l.repo, "b", "first here")
		if got := l.settled(); got != "first here" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSettleCrowd has commits in many work trees at once, and readers beside.
func TestSettleCrowd(t *testing.T) {
	l := newLab(t, "")
	l.agentflow(l.repo, "hook", "install")
	l.agentflow(l.repo, "init")
	const trees, each = 4, 4
	var work sync.WaitGroup
	for i := range trees {
		dir := filepath.Join(filepath.Dir(l.repo), fmt.Sprint("tree", i))
		l.git(l.repo, "worktree", "add", "-q", dir)
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
					cmd.Dir, cmd.Env = dir, l.env
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
				if out, err := l.command(l.repo, "log").CombinedOutput(); err != nil {
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
// random moments: in the end each commit stands once.
func TestKilledSettle(t *testing.T) {
	l := newLab(t, "")
	l.agentflow(l.repo, "hook", "install")
	l.agentflow(l.repo, "init")
	rounds := number(t, "AGENTFLOW_KILLS", 10)
	for i := range rounds {
		l.made(l.repo, "a", fmt.Sprint("a ", i))
		l.made(l.repo, "b", fmt.Sprint("b ", i))
		cmd := l.command(l.repo, "log")
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
	l.agentflow(l.repo, "hook", "install")
	l.agentflow(l.repo, "init")
	cmd := l.command(l.repo, "run", "-q", "commit and sleep")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); l.git(l.repo, "log", "-1", "--format=%s") != "of the run"; {
		if time.Now().After(deadline) {
			t.Fatal("the agent does not commit")
		}
	}
	l.made(l.repo, "a", "mine")
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
	if runs := l.runs(); len(runs) != 1 || len(runs[0].Commits) != 1 || runs[0].Commits[0].Subject != "of the run" {
		t.Errorf("the run: %+v", runs)
	}
}
