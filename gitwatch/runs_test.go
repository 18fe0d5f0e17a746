package gitwatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
)

// TestEightCommitters lets eight runs commit in one work tree at the same time, each with a
// separate ref trace.
func TestEightCommitters(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	repo := f.open()
	runs := make([]*fixture, 8)
	var befores [8][]byte
	for i := range runs {
		runs[i] = f.at(f.Dir, filepath.Join(f.Run, fmt.Sprint(i)))
		runs[i].Trace = true
		runs[i].Ticks = new(int)
		*runs[i].Ticks = 1000
		b, err := repo.Snapshot(t.Context(), runs[i].Run, time.Time{}, nil)
		gittest.Must(t, err)
		befores[i] = b
	}
	var wg sync.WaitGroup
	for i, r := range runs {
		wg.Go(func() {
			for n := range 3 {
				name := fmt.Sprintf("run%d-%d.txt", i, n)
				if err := os.WriteFile(r.Path(name), []byte("x\n"), 0o644); err != nil {
					t.Error(err)
				}
				commitRetrying(t, r, name)
			}
			if err := os.WriteFile(r.Path(fmt.Sprintf("left%d.txt", i)), []byte("x\n"), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, r := range runs {
		set := repo.Compare(t.Context(), befores[i], Evidence{
			Dir: r.Run, Started: gittest.Start, Ended: gittest.Start.Add(time.Hour), Shared: true,
			Tells: true, Calls: []toolcalls.Call{{Began: gittest.Start, Ended: gittest.Start.Add(time.Hour), Wrote: []toolcalls.Write{{Path: fmt.Sprintf("left%d.txt", i)}}}},
		})
		gittest.Want(t, "commits", subjectsOf(set.Commits), fmt.Sprintf("run%d-0.txt, run%[1]d-1.txt, run%[1]d-2.txt", i))
		gittest.Want(t, "changes", gittest.Show(set.Changes), fmt.Sprintf("A run%d-0.txt +1 -0\nA run%[1]d-1.txt +1 -0\nA run%[1]d-2.txt +1 -0", i))
		gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), fmt.Sprintf("A left%d.txt +1 -0", i))
		if n := len(set.Meanwhile.Items); n != 7*4 {
			t.Errorf("meanwhile: %d paths, want 28", n)
		}
	}
}

// commitRetrying commits one file while others hold the index lock.
func commitRetrying(t *testing.T, f *fixture, name string) {
	for deadline := time.Now().Add(time.Minute); ; {
		_, err := f.Try("add", name)
		if err == nil {
			_, err = f.Try("commit", "-qm", name, "--", name)
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Error(err)
			return
		}
	}
}

// TestOthersAreAskedBehindTheLook: a file that another run writes just before the work tree is
// looked at, and reports only then, is not ours.
func TestOthersAreAskedBehindTheLook(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "one\n")
	set := f.during(func() { f.Write("theirs.txt", "x\n") }, func(ev *Evidence) {
		ev.Tells = true
		ev.Calls = []toolcalls.Call{{Began: ev.Started, Ended: ev.Ended}} // may have written anything
		ev.AskOthers = func() ([]toolcalls.Call, bool) {
			f.Write("late.txt", "written behind the look\n")
			return []toolcalls.Call{{Began: ev.Started, Ended: ev.Ended, Wrote: []toolcalls.Write{{Path: "theirs.txt"}}}}, true
		}
	})
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "A theirs.txt")
}

func TestHistoryShapes(t *testing.T) {
	shapes := []struct {
		name                                                    string
		act                                                     func(f *fixture)
		change                                                  func(*Evidence)
		commits, possible, changes, uncommitted, while, remarks string
	}{{
		name: "amend keeps one",
		act: func(f *fixture) {
			f.Commit("first", "n.txt", "1\n")
			f.Write("n.txt", "1\n2\n")
			f.Git("commit", "-qa", "--amend", "-m", "amended")
		},
		commits: "amended", changes: "A n.txt +2 -0",
	}, {
		name:    "reset away",
		act:     func(f *fixture) { f.Commit("gone", "n.txt", "1\n"); f.Git("reset", "-q", "--hard", "HEAD~1") },
		commits: "",
	}, {
		name: "reset softly", act: func(f *fixture) { f.Commit("gone", "n.txt", "1\n"); f.Git("reset", "-q", "--soft", "HEAD~1") },
		uncommitted: "A n.txt +1 -0",
	}, {
		name: "on a branch left behind",
		act: func(f *fixture) {
			f.Git("checkout", "-q", "-b", "side")
			f.Commit("on side", "n.txt", "1\n")
			f.Git("checkout", "-q", "main")
		},
		commits: "on side", changes: "A n.txt +1 -0",
	}, {
		name: "branch deleted again",
		act: func(f *fixture) {
			f.Git("checkout", "-q", "-b", "side")
			f.Commit("on side", "n.txt", "1\n")
			f.Git("checkout", "-q", "main")
			f.Git("branch", "-q", "-D", "side")
		},
	}, {
		name:    "detached",
		act:     func(f *fixture) { f.Git("checkout", "-q", "--detach"); f.Commit("apart", "n.txt", "1\n") },
		commits: "apart", changes: "A n.txt +1 -0",
	}, {
		name: "pulled by fast-forward",
		act: func(f *fixture) {
			f.upstream(2)
			f.Git("pull", "-q", "--ff-only", "origin", "main")
			f.Commit("own", "own.txt", "x\n")
		},
		commits: "own", changes: "A own.txt +1 -0", remarks: "pulled 2 commits",
	}, {
		name: "pulled by merge",
		act: func(f *fixture) {
			f.upstream(1)
			f.Commit("own", "own.txt", "x\n")
			f.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		},
		commits: "own, Merge branch 'main' of ../up", changes: "A own.txt +1 -0", remarks: "pulled 1 commit",
	}, {
		name: "pulled by rebase",
		act: func(f *fixture) {
			f.upstream(1)
			f.Commit("own", "own.txt", "x\n")
			f.Git("pull", "-q", "--rebase", "origin", "main")
		},
		commits: "own", changes: "A own.txt +1 -0", remarks: "pulled 1 commit",
	}, {
		name: "pushed",
		act: func(f *fixture) {
			f.upstream(0)
			f.Commit("own", "own.txt", "x\n")
			f.Git("push", "-q", "origin", "main:pushed")
		},
		commits: "own", changes: "A own.txt +1 -0",
	}, {
		name: "committed by another process",
		act: func(f *fixture) {
			other := f.at(f.Dir, f.Run+"2")
			other.Trace = false
			other.Commit("theirs", "theirs.txt", "x\n")
			f.Commit("own", "own.txt", "x\n")
		},
		commits: "own", changes: "A own.txt +1 -0", while: "A theirs.txt",
	}, {
		name: "merge with a resolution",
		act: func(f *fixture) {
			f.Git("checkout", "-q", "-b", "side")
			f.Commit("side", "a.txt", "side\ntwo\n", "side.txt", "s\n")
			f.Git("checkout", "-q", "main")
			f.Commit("main", "a.txt", "main\ntwo\n")
			_, _ = f.Try("merge", "side")
			f.Write("a.txt", "both\ntwo\n")
			f.Git("add", "-A")
			f.Git("commit", "-qm", "merged")
		},
		commits: "side, main, merged", changes: "M a.txt +3 -3\nA side.txt +1 -0",
	}, {
		name: "left in the middle of a merge",
		act: func(f *fixture) {
			f.Git("checkout", "-q", "-b", "side")
			f.Commit("side", "a.txt", "side\ntwo\n")
			f.Git("checkout", "-q", "main")
			f.Commit("main", "a.txt", "main\ntwo\n")
			_, _ = f.Try("merge", "side")
		},
		commits: "side, main", changes: "M a.txt +2 -2", uncommitted: "U a.txt",
	}, {
		name:  "no ref trace where git traces: somebody else's commit",
		act:   func(f *fixture) { f.Trace = false; f.Commit("untraced", "n.txt", "1\n") },
		while: "A n.txt",
	}, {
		name: "no ref trace where a call ran git: the reflog's are possible",
		act:  func(f *fixture) { f.Trace = false; f.Commit("untraced", "n.txt", "1\n") },
		change: func(ev *Evidence) {
			ev.Tells, ev.Calls = true, []toolcalls.Call{{Began: ev.Started, Ended: ev.Ended, Git: true}}
		},
		possible: "untraced", changes: "A n.txt +1 -0",
	}, {
		name:        "no ref trace and not alone",
		act:         func(f *fixture) { f.Trace = false; f.Commit("untraced", "n.txt", "1\n"); f.Write("o.txt", "x\n") },
		change:      func(ev *Evidence) { ev.Shared = true },
		uncommitted: "A o.txt +1 -0",
		while:       "A n.txt",
	}, {
		name: "a commit with a date of its own",
		act: func(f *fixture) {
			f.Extra = []string{"GIT_COMMITTER_DATE=2001-01-01T00:00:00Z"}
			f.Commit("dated", "n.txt", "1\n")
		},
		commits: "dated", changes: "A n.txt +1 -0",
	}, {
		name: "recovered",
		act:  func(f *fixture) { f.Commit("traced", "n.txt", "1\n"); f.Write("o.txt", "x\n"); f.Write("p.txt", "x\n") },
		change: func(ev *Evidence) {
			wrote(ev, "p.txt")
			ev.Calls[0].Ended = ev.Started
			ev.Recovered, ev.Ended = true, time.Time{}
		},
		commits: "traced", changes: "A n.txt +1 -0", uncommitted: "A p.txt +1 -0", while: "A o.txt",
	}, {
		name:   "recovered without trace",
		act:    func(f *fixture) { f.Trace = false; f.Commit("later", "n.txt", "1\n") },
		change: func(ev *Evidence) { ev.Recovered, ev.Ended = true, time.Time{} },
		while:  "A n.txt",
	}, {
		name: "undone again",
		act: func(f *fixture) {
			f.Commit("do", "a.txt", "x\n")
			f.Git("revert", "--no-edit", "HEAD")
			f.Write("b.txt", "b\n")
		},
		commits:     `do, Revert "do"`,
		uncommitted: "",
	}, {
		name:    "a user's commit undone",
		act:     func(f *fixture) { f.Git("reset", "-q", "--mixed", "HEAD~1") },
		commits: "", remarks: "1 commit from before on no branch any more",
	}, {
		name: "renamed and edited, uncommitted",
		act: func(f *fixture) {
			f.Git("mv", "long.txt", "moved.txt")
			f.Write("moved.txt", strings.Repeat("line\n", 20)+"more\n")
		},
		uncommitted: "R moved.txt <- long.txt +1 -0",
	}, {
		name: "a user's commit amended",
		act: func(f *fixture) {
			f.Write("b.txt", "b\nrun\n")
			f.Git("commit", "-qa", "--amend", "-m", "once")
			f.Write("c.txt", "c\n")
			f.Git("add", "c.txt")
			f.Git("commit", "-q", "--amend", "-m", "twice")
		},
		commits: "twice", changes: "M b.txt +1 -0\nA c.txt +1 -0", remarks: "1 commit from before on no branch any more",
	}, {
		name: "somebody else's new commit amended",
		act: func(f *fixture) {
			f.Trace = false
			f.Commit("theirs before", "a.txt", "a\ntheirs\n")
			f.Commit("theirs", "theirs.txt", "1\n")
			f.Trace = true
			f.Write("b.txt", "b\nrun\n")
			f.Git("commit", "-qa", "--amend", "-m", "better words")
		},
		commits: "better words", changes: "M b.txt +1 -0", while: "M a.txt\nA theirs.txt",
	}, {
		name: "a user's commits rebased",
		act: func(f *fixture) {
			f.upstreamAt("HEAD~1", 1)
			f.Commit("own", "own.txt", "x\n")
			f.Git("pull", "-q", "--rebase", "origin", "main")
		},
		commits: "second, own", changes: "A own.txt +1 -0", remarks: "pulled 1 commit\n1 commit from before on no branch any more",
	}, {
		name: "types and modes",
		act: func(f *fixture) {
			gittest.Must(f.T, os.Chmod(f.Path("a.txt"), 0o755))
			gittest.Must(f.T, os.Remove(f.Path("b.txt")))
			gittest.Must(f.T, os.Symlink("a.txt", f.Path("b.txt")))
			f.Write("bin", "a\x00b")
		},
		uncommitted: "M a.txt +0 -0\nT b.txt +1 -1\nA bin",
	}, {
		name:        "stashed",
		act:         func(f *fixture) { f.Write("a.txt", "x\n"); f.Git("stash", "-q") },
		uncommitted: "",
	}, {
		name: "own memory committed",
		act: func(f *fixture) {
			f.Write(".agentflow/memory/x.md", "x")
			f.Git("add", "-f", ".agentflow")
			f.Commit("odd", "n.txt", "1\n")
		},
		commits: "odd", changes: "A n.txt +1 -0",
	}}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "one\ntwo\n", "long.txt", strings.Repeat("line\n", 20))
			f.Commit("second", "b.txt", "b\n")
			set := f.during(func() { s.act(f) }, func(ev *Evidence) {
				if s.change != nil {
					s.change(ev)
				}
			})
			gittest.Want(t, "commits", subjectsOf(set.Commits), s.commits)
			gittest.Want(t, "possible commits", subjectsOf(set.PossibleCommits), s.possible)
			gittest.Want(t, "changes", gittest.Show(set.Changes), s.changes)
			gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), s.uncommitted)
			gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), s.while)
			gittest.Want(t, "remarks", strings.Join(set.Remarks, "\n"), s.remarks)
		})
	}
}

// upstream makes a remote "origin" with a main that is n commits ahead.
func (f *fixture) upstream(n int) { f.upstreamAt("HEAD", n) }

// upstreamAt is upstream, with main at another commit first.
func (f *fixture) upstreamAt(base string, n int) {
	f.T.Helper()
	up := f.at(f.Path("../up"), f.Run+"up")
	up.Trace = false
	f.Git("clone", "-q", ".", "../up")
	f.Git("remote", "add", "origin", "../up")
	up.Git("reset", "-q", "--hard", base)
	for i := range n {
		up.Commit("theirs", fmt.Sprintf("up%d.txt", i), "x\n")
	}
}

func TestLinkedWorktree(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	f.Git("worktree", "add", "-q", "-b", "side", "../linked-tree")
	l := f.at(f.Path("../linked-tree"), f.Run+"2")
	set := l.during(func() {
		l.Commit("in linked", "n.txt", "1\n")
		f.Commit("in main", "m.txt", "1\n")
		l.Write("left.txt", "x\n")
	})
	gittest.Want(t, "commits", subjectsOf(set.Commits), "in linked")
	gittest.Want(t, "changes", gittest.Show(set.Changes), "A n.txt +1 -0")
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "A left.txt +1 -0")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
	gittest.Want(t, "worktree", set.Worktree, "linked-tree")
	gittest.Want(t, "branch", set.Branch, "side")
}

// TestNeighbourIsNotClaimed: a run whose agent used no git claims no commit that was made in
// another work tree in the meantime.
func TestNeighbourIsNotClaimed(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	f.Git("worktree", "add", "-q", "-b", "side", "../linked-tree")
	l := f.at(f.Path("../linked-tree"), f.Run+"2")
	set := f.during(func() { l.Commit("in linked", "n.txt", "1\n") })
	gittest.Want(t, "commits", subjectsOf(set.Commits), "")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
}

func TestHeadAndSubjects(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	base := strings.TrimSpace(f.Git("rev-parse", "HEAD"))
	f.Commit("two\nlines \xff\n\nbody", "a.txt", "b\n")
	gone := strings.TrimSpace(f.Git("rev-parse", "HEAD"))
	f.Git("reset", "-q", "--hard", "HEAD~1")
	r := f.open()
	branch, head, err := r.Head(t.Context())
	gittest.Must(t, err)
	gittest.Want(t, "head", branch+" "+head, "main "+base)
	gittest.Want(t, "subject", r.Subjects(t.Context(), []string{gone, "nonsense"})[gone], "two lines ÿ")
}

// TestUnreadIsNeverClean damages files that are read, one at a time.
func TestUnreadIsNeverClean(t *testing.T) {
	damage := map[string]func(f *fixture){
		"index": func(f *fixture) { f.Write(".git/index", "DIRC nonsense") },
		"HEAD":  func(f *fixture) { f.Write(".git/HEAD", "") },
		"HEAD's tree": func(f *fixture) {
			f.Write("a.txt", "changed\n")
			f.Git("commit", "-qam", "x")
			f.loose(strings.TrimSpace(f.Git("rev-parse", "HEAD^{tree}")))
			f.Write("b.txt", "changed\n")
			f.Git("add", "b.txt")
		},
		"a commit":    func(f *fixture) { f.loose(strings.TrimSpace(f.Git("rev-parse", "HEAD"))) },
		"user config": func(f *fixture) { f.Write("../gitconfig", "[core\nexcludesFile") },
	}
	for _, name := range sortedKeys(damage) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\n", "b.txt", "b\n")
			set := f.during(func() { damage[name](f) })
			if set.Changes.Unread == "" && len(set.Commits) == 0 || set.Uncommitted.Unread == "" || set.Meanwhile.Unread == "" {
				t.Errorf("changes %q, uncommitted %q, meanwhile %q", gittest.Show(set.Changes), gittest.Show(set.Uncommitted), gittest.Show(set.Meanwhile))
			}
		})
	}
	t.Run("no snapshot", func(t *testing.T) {
		set := newFixture(t).open().Compare(t.Context(), nil, Evidence{})
		if set.Changes.Unread == "" || set.Uncommitted.Unread == "" || set.Meanwhile.Unread == "" {
			t.Errorf("got %+v", set)
		}
	})
}

// loose removes a loose object.
func (f *fixture) loose(id string) {
	f.T.Helper()
	gittest.Must(f.T, os.Remove(f.Path(".git/objects/"+id[:2]+"/"+id[2:])))
}

func TestSnapshotIsCancelled(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.open().Snapshot(ctx, f.Run, time.Time{}, nil); err == nil {
		t.Error("a cancelled snapshot gave a result")
	}
}

// TestHugeUntracked: a file of 1 TB that is not tracked is not read, which
// would take longer than a test may.
func TestHugeUntracked(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	f.Write("huge", "")
	gittest.Must(t, os.Truncate(f.Path("huge"), 1<<40))
	set := f.during(func() {
		gittest.Must(f.T, os.Truncate(f.Path("huge"), 1<<40+1))
	}, func(ev *Evidence) { wrote(ev, "huge") })
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M huge")
}
