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
)

// TestEightCommitters lets eight runs commit in one work tree at once, each
// with its own ref trace.
func TestEightCommitters(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	repo := f.open()
	runs := make([]*fixture, 8)
	var befores [8][]byte
	for i := range runs {
		runs[i] = f.at(f.dir, filepath.Join(f.run, fmt.Sprint(i)))
		runs[i].trace = true
		runs[i].ticks = new(int)
		*runs[i].ticks = 1000
		b, err := repo.Snapshot(t.Context(), runs[i].run)
		must(t, err)
		befores[i] = b
	}
	var wg sync.WaitGroup
	for i, r := range runs {
		wg.Go(func() {
			for n := range 3 {
				name := fmt.Sprintf("run%d-%d.txt", i, n)
				if err := os.WriteFile(r.path(name), []byte("x\n"), 0o644); err != nil {
					t.Error(err)
				}
				commitRetrying(t, r, name)
			}
			if err := os.WriteFile(r.path(fmt.Sprintf("left%d.txt", i)), []byte("x\n"), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, r := range runs {
		set := repo.Compare(t.Context(), befores[i], Evidence{
			Dir: r.run, Started: fixed, Ended: fixed.Add(time.Hour), Shared: true,
			Touched: []string{fmt.Sprintf("left%d.txt", i)},
		})
		want(t, "commits", subjectsOf(set), fmt.Sprintf("run%d-0.txt, run%[1]d-1.txt, run%[1]d-2.txt", i))
		want(t, "changes", show(set.Changes), fmt.Sprintf("A run%d-0.txt +1 -0\nA run%[1]d-1.txt +1 -0\nA run%[1]d-2.txt +1 -0", i))
		want(t, "uncommitted", show(set.Uncommitted), fmt.Sprintf("A left%d.txt +1 -0", i))
		if n := len(set.Meanwhile.Items); n != 7*4 {
			t.Errorf("meanwhile: %d paths, want 28", n)
		}
	}
}

// commitRetrying commits one file while others hold the index lock.
func commitRetrying(t *testing.T, f *fixture, name string) {
	for deadline := time.Now().Add(time.Minute); ; {
		_, err := f.try("add", name)
		if err == nil {
			_, err = f.try("commit", "-qm", name, "--", name)
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

func TestHistoryShapes(t *testing.T) {
	shapes := []struct {
		name                                          string
		act                                           func(f *fixture)
		change                                        func(*Evidence)
		commits, changes, uncommitted, while, remarks string
	}{{
		name: "amend keeps one",
		act: func(f *fixture) {
			f.commit("first", "n.txt", "1\n")
			f.write("n.txt", "1\n2\n")
			f.git("commit", "-qa", "--amend", "-m", "amended")
		},
		commits: "amended", changes: "A n.txt +2 -0",
	}, {
		name:    "reset away",
		act:     func(f *fixture) { f.commit("gone", "n.txt", "1\n"); f.git("reset", "-q", "--hard", "HEAD~1") },
		commits: "",
	}, {
		name: "reset softly", act: func(f *fixture) { f.commit("gone", "n.txt", "1\n"); f.git("reset", "-q", "--soft", "HEAD~1") },
		uncommitted: "A n.txt +1 -0",
	}, {
		name: "on a branch left behind",
		act: func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.commit("on side", "n.txt", "1\n")
			f.git("checkout", "-q", "main")
		},
		commits: "on side", changes: "A n.txt +1 -0",
	}, {
		name: "branch deleted again",
		act: func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.commit("on side", "n.txt", "1\n")
			f.git("checkout", "-q", "main")
			f.git("branch", "-q", "-D", "side")
		},
	}, {
		name:    "detached",
		act:     func(f *fixture) { f.git("checkout", "-q", "--detach"); f.commit("apart", "n.txt", "1\n") },
		commits: "apart", changes: "A n.txt +1 -0",
	}, {
		name: "pulled by fast-forward",
		act: func(f *fixture) {
			f.upstream(2)
			f.git("pull", "-q", "--ff-only", "origin", "main")
			f.commit("own", "own.txt", "x\n")
		},
		commits: "own", changes: "A own.txt +1 -0", remarks: "pulled 2 commits",
	}, {
		name: "pulled by merge",
		act: func(f *fixture) {
			f.upstream(1)
			f.commit("own", "own.txt", "x\n")
			f.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		},
		commits: "own, Merge branch 'main' of ../up", changes: "A own.txt +1 -0", remarks: "pulled 1 commit",
	}, {
		name: "pulled by rebase",
		act: func(f *fixture) {
			f.upstream(1)
			f.commit("own", "own.txt", "x\n")
			f.git("pull", "-q", "--rebase", "origin", "main")
		},
		commits: "own", changes: "A own.txt +1 -0", remarks: "pulled 1 commit",
	}, {
		name: "pushed",
		act: func(f *fixture) {
			f.upstream(0)
			f.commit("own", "own.txt", "x\n")
			f.git("push", "-q", "origin", "main:pushed")
		},
		commits: "own", changes: "A own.txt +1 -0",
	}, {
		name: "committed by another process",
		act: func(f *fixture) {
			other := f.at(f.dir, f.run+"2")
			other.trace = false
			other.commit("theirs", "theirs.txt", "x\n")
			f.commit("own", "own.txt", "x\n")
		},
		commits: "own", changes: "A own.txt +1 -0", while: "A theirs.txt",
	}, {
		name: "merge with a resolution",
		act: func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.commit("side", "a.txt", "side\ntwo\n", "side.txt", "s\n")
			f.git("checkout", "-q", "main")
			f.commit("main", "a.txt", "main\ntwo\n")
			_, _ = f.try("merge", "side")
			f.write("a.txt", "both\ntwo\n")
			f.git("add", "-A")
			f.git("commit", "-qm", "merged")
		},
		commits: "side, main, merged", changes: "M a.txt +3 -3\nA side.txt +1 -0",
	}, {
		name: "left in the middle of a merge",
		act: func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.commit("side", "a.txt", "side\ntwo\n")
			f.git("checkout", "-q", "main")
			f.commit("main", "a.txt", "main\ntwo\n")
			_, _ = f.try("merge", "side")
		},
		commits: "side, main", changes: "M a.txt +2 -2", uncommitted: "U a.txt",
	}, {
		name:    "no ref trace: the reflog",
		act:     func(f *fixture) { f.trace = false; f.commit("untraced", "n.txt", "1\n") },
		commits: "untraced", changes: "A n.txt +1 -0",
	}, {
		name:   "no ref trace and not alone",
		act:    func(f *fixture) { f.trace = false; f.commit("untraced", "n.txt", "1\n"); f.write("o.txt", "x\n") },
		change: func(ev *Evidence) { ev.Shared = true },
		while:  "A n.txt\nA o.txt",
	}, {
		name:    "recovered",
		act:     func(f *fixture) { f.commit("traced", "n.txt", "1\n"); f.write("o.txt", "x\n"); f.write("p.txt", "x\n") },
		change:  func(ev *Evidence) { ev.Recovered, ev.Ended, ev.Touched = true, time.Time{}, []string{"p.txt"} },
		commits: "traced", changes: "A n.txt +1 -0", uncommitted: "A p.txt +1 -0", while: "A o.txt",
	}, {
		name:   "recovered without trace",
		act:    func(f *fixture) { f.trace = false; f.commit("later", "n.txt", "1\n") },
		change: func(ev *Evidence) { ev.Recovered, ev.Ended = true, time.Time{} },
		while:  "A n.txt",
	}, {
		name: "undone again",
		act: func(f *fixture) {
			f.commit("do", "a.txt", "x\n")
			f.git("revert", "--no-edit", "HEAD")
			f.write("b.txt", "b\n")
		},
		commits:     `do, Revert "do"`,
		uncommitted: "",
	}, {
		name:    "a user's commit undone",
		act:     func(f *fixture) { f.git("reset", "-q", "--mixed", "HEAD~1") },
		commits: "", remarks: "1 commit from before on no branch any more",
	}, {
		name: "renamed and edited, uncommitted",
		act: func(f *fixture) {
			f.git("mv", "long.txt", "moved.txt")
			f.write("moved.txt", strings.Repeat("line\n", 20)+"more\n")
		},
		uncommitted: "R moved.txt <- long.txt +1 -0",
	}, {
		name: "a user's commit amended",
		act: func(f *fixture) {
			f.write("b.txt", "b\nrun\n")
			f.git("commit", "-qa", "--amend", "-m", "once")
			f.write("c.txt", "c\n")
			f.git("add", "c.txt")
			f.git("commit", "-q", "--amend", "-m", "twice")
		},
		commits: "twice", changes: "M b.txt +1 -0\nA c.txt +1 -0", remarks: "1 commit from before on no branch any more",
	}, {
		name: "a user's commits rebased",
		act: func(f *fixture) {
			f.upstreamAt("HEAD~1", 1)
			f.commit("own", "own.txt", "x\n")
			f.git("pull", "-q", "--rebase", "origin", "main")
		},
		commits: "second, own", changes: "A own.txt +1 -0", remarks: "pulled 1 commit\n1 commit from before on no branch any more",
	}, {
		name: "types and modes",
		act: func(f *fixture) {
			must(f.t, os.Chmod(f.path("a.txt"), 0o755))
			must(f.t, os.Remove(f.path("b.txt")))
			must(f.t, os.Symlink("a.txt", f.path("b.txt")))
			f.write("bin", "a\x00b")
		},
		uncommitted: "M a.txt +0 -0\nT b.txt +1 -1\nA bin",
	}, {
		name:        "stashed",
		act:         func(f *fixture) { f.write("a.txt", "x\n"); f.git("stash", "-q") },
		uncommitted: "",
	}, {
		name: "own memory committed",
		act: func(f *fixture) {
			f.write(".agentflow/memory/x.md", "x")
			f.git("add", "-f", ".agentflow")
			f.commit("odd", "n.txt", "1\n")
		},
		commits: "odd", changes: "A n.txt +1 -0",
	}}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", "a.txt", "one\ntwo\n", "long.txt", strings.Repeat("line\n", 20))
			f.commit("second", "b.txt", "b\n")
			set := f.during(func() { s.act(f) }, func(ev *Evidence) {
				if s.change != nil {
					s.change(ev)
				}
			})
			want(t, "commits", subjectsOf(set), s.commits)
			want(t, "changes", show(set.Changes), s.changes)
			want(t, "uncommitted", show(set.Uncommitted), s.uncommitted)
			want(t, "meanwhile", show(set.Meanwhile), s.while)
			want(t, "remarks", strings.Join(set.Remarks, "\n"), s.remarks)
		})
	}
}

// upstream makes a remote "origin" whose main is n commits ahead.
func (f *fixture) upstream(n int) { f.upstreamAt("HEAD", n) }

// upstreamAt is upstream, with main at another commit first.
func (f *fixture) upstreamAt(base string, n int) {
	f.t.Helper()
	up := f.at(f.path("../up"), f.run+"up")
	up.trace = false
	f.git("clone", "-q", ".", "../up")
	f.git("remote", "add", "origin", "../up")
	up.git("reset", "-q", "--hard", base)
	for i := range n {
		up.commit("theirs", fmt.Sprintf("up%d.txt", i), "x\n")
	}
}

func TestLinkedWorktree(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	f.git("worktree", "add", "-q", "-b", "side", "../linked-tree")
	l := f.at(f.path("../linked-tree"), f.run+"2")
	set := l.during(func() {
		l.commit("in linked", "n.txt", "1\n")
		f.commit("in main", "m.txt", "1\n")
		l.write("left.txt", "x\n")
	})
	want(t, "commits", subjectsOf(set), "in linked")
	want(t, "changes", show(set.Changes), "A n.txt +1 -0")
	want(t, "uncommitted", show(set.Uncommitted), "A left.txt +1 -0")
	want(t, "meanwhile", show(set.Meanwhile), "")
	want(t, "worktree", set.Worktree, "linked-tree")
	want(t, "branch", set.Branch, "side")
}

// TestNeighbourIsNotClaimed: a run whose agent used no git claims nothing
// that was committed in another work tree meanwhile.
func TestNeighbourIsNotClaimed(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	f.git("worktree", "add", "-q", "-b", "side", "../linked-tree")
	l := f.at(f.path("../linked-tree"), f.run+"2")
	set := f.during(func() { l.commit("in linked", "n.txt", "1\n") })
	want(t, "commits", subjectsOf(set), "")
	want(t, "meanwhile", show(set.Meanwhile), "")
}

func TestHeadAndSubjects(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	base := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	f.commit("two\nlines \xff\n\nbody", "a.txt", "b\n")
	gone := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	f.git("reset", "-q", "--hard", "HEAD~1")
	r := f.open()
	branch, head, err := r.Head(t.Context())
	must(t, err)
	want(t, "head", branch+" "+head, "main "+base)
	want(t, "subject", r.Subjects(t.Context(), []string{gone, "nonsense"})[gone], "two lines ÿ")
}

// TestUnreadIsNeverClean damages what is read, one thing at a time.
func TestUnreadIsNeverClean(t *testing.T) {
	damage := map[string]func(f *fixture){
		"index": func(f *fixture) { f.write(".git/index", "DIRC nonsense") },
		"HEAD":  func(f *fixture) { f.write(".git/HEAD", "") },
		"HEAD's tree": func(f *fixture) {
			f.write("a.txt", "changed\n")
			f.git("commit", "-qam", "x")
			f.loose(strings.TrimSpace(f.git("rev-parse", "HEAD^{tree}")))
			f.write("b.txt", "changed\n")
			f.git("add", "b.txt")
		},
		"a commit":    func(f *fixture) { f.loose(strings.TrimSpace(f.git("rev-parse", "HEAD"))) },
		"user config": func(f *fixture) { f.write("../gitconfig", "[core\nexcludesFile") },
	}
	for _, name := range sortedKeys(damage) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", "a.txt", "a\n", "b.txt", "b\n")
			set := f.during(func() { damage[name](f) })
			if set.Changes.Unread == "" && len(set.Commits) == 0 || set.Uncommitted.Unread == "" || set.Meanwhile.Unread == "" {
				t.Errorf("changes %q, uncommitted %q, meanwhile %q", show(set.Changes), show(set.Uncommitted), show(set.Meanwhile))
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
	f.t.Helper()
	must(f.t, os.Remove(f.path(".git/objects/"+id[:2]+"/"+id[2:])))
}

func TestSnapshotIsCancelled(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.open().Snapshot(ctx, f.run); err == nil {
		t.Error("a cancelled snapshot gave a result")
	}
}

// TestHugeUntracked: a file of 1 GB that is not tracked is not read.
func TestHugeUntracked(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	f.write("huge", "")
	must(t, os.Truncate(f.path("huge"), 1<<30))
	began := time.Now()
	set := f.during(func() {
		must(f.t, os.Truncate(f.path("huge"), 1<<30+1))
	}, func(ev *Evidence) { ev.Touched = []string{"huge"} })
	want(t, "uncommitted", show(set.Uncommitted), "M huge")
	if d := time.Since(began); d > time.Second {
		t.Errorf("took %v", d)
	}
}
