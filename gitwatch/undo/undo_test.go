package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// lab is a repository with one run in it that can be taken back.
type lab struct {
	*runtest.Repo
	request Request
}

// newLab lets prepare work before the run, and act be the run.
func newLab(t *testing.T, prepare func(*runtest.Repo), act func(*runtest.Repo)) *lab {
	t.Helper()
	f := runtest.New(t)
	f.Git("config", "user.name", "A")
	f.Git("config", "user.email", "a@example.org")
	prepare(f)
	set := f.During(func() { act(f) }, keep)
	return &lab{f, requestOf(f, set)}
}

// undo plans and applies, and returns why it was refused.
func (l *lab) undo() string {
	l.T.Helper()
	plan, err := New(l.T.Context(), l.Open(), l.request)
	gittest.Must(l.T, err)
	defer plan.Close()
	if len(plan.Refused) > 0 {
		return fmt.Sprint(plan.Refused)
	}
	_, err = plan.Apply(l.T.Context())
	gittest.Must(l.T, err)
	return ""
}

func (l *lab) is(name, content string) {
	l.T.Helper()
	got, err := os.ReadFile(l.Path(name))
	gittest.Must(l.T, err)
	gittest.Want(l.T, name, string(got), content)
}

func (l *lab) status() string { return strings.TrimRight(l.Git("status", "--porcelain"), "\n") }

func base(f *runtest.Repo) {
	f.Commit("base", "a.txt", numbered(1, 20), "b.txt", "b\n", "d/c.txt", "c\n")
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestUndoAmongLaterWork: other people's work during the run stays.
func TestUndoAmongLaterWork(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("the run's", "a.txt", "the run's\n"+numbered(1, 20))
		f.Git("mv", "b.txt", "new.txt")
		f.Write("new.txt", "b\nmore\n")
		f.Write("staged.txt", "1\n")
		f.Git("add", "staged.txt")
		f.Write("staged.txt", "2\n")
	})
	// Later: another end of the same file, in a commit and in the work tree,
	// and something else that is staged.
	l.Write("a.txt", "the run's\n"+numbered(1, 20)+"later\n")
	l.Git("commit", "-qm", "later", "--", "a.txt")
	l.Write("a.txt", "the run's\n"+numbered(1, 20)+"later\nlatest\n")
	l.Write("user.txt", "user\n")
	l.Git("add", "user.txt")
	gittest.Want(t, "refused", l.undo(), "")
	l.is("a.txt", numbered(1, 20)+"later\nlatest\n")
	l.is("b.txt", "b\n")
	gittest.Want(t, "HEAD", l.Git("show", "HEAD:a.txt"), numbered(1, 20)+"later\n")
	gittest.Want(t, "status", l.status(), " M a.txt\nA  user.txt")
	gittest.Want(t, "message", l.Git("log", "-1", "--format=%s %an"), "Revert the run A\n")
	gittest.Want(t, "reflog", l.Git("reflog", "-1", "--format=%gs"), "revert: Revert the run\n")
	gittest.Want(t, "fsck", l.Git("fsck", "--strict", "--no-dangling"), "")
}

func TestUndoRefuses(t *testing.T) {
	commit := func(f *runtest.Repo) { f.Commit("the run's", "a.txt", "the run's\n"+numbered(1, 20)) }
	edit := func(f *runtest.Repo) { f.Write("d/c.txt", "the run's\n"); f.Write("new.txt", "new\n") }
	for _, c := range []struct {
		name  string
		run   func(*runtest.Repo)
		later func(*lab)
		why   string
	}{
		{"a later commit of the same lines", commit, func(l *lab) { l.Commit("later", "a.txt", "later\n"+numbered(1, 20)) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later edit of the same lines", commit, func(l *lab) { l.Write("a.txt", "later\n"+numbered(1, 20)) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later deletion", commit, func(l *lab) { gittest.Must(l.T, os.Remove(l.Path("a.txt"))) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later change that is staged", commit, func(l *lab) {
			l.Write("a.txt", "the run's\n"+numbered(1, 21))
			l.Git("add", "a.txt")
		}, "[{a.txt other changes of it are staged}]"},
		{"an edit of what was left", edit, func(l *lab) { l.Write("new.txt", "newer\n") }, "[{new.txt it was changed after the run}]"},
		{"a mode of what was left", edit, func(l *lab) { gittest.Must(l.T, os.Chmod(l.Path("new.txt"), 0o755)) }, "[{new.txt it was changed after the run}]"},
		{"a folder where a file was", func(f *runtest.Repo) { gittest.Must(f.T, os.Remove(f.Path("d/c.txt"))) },
			func(l *lab) { l.Write("d/c.txt/x", "x\n") }, "[{d/c.txt there is d/c.txt/x now}]"},
		{"a file where a folder was", func(f *runtest.Repo) { gittest.Must(f.T, os.RemoveAll(f.Path("d"))) },
			func(l *lab) { l.Write("d", "x\n") }, "[{d/c.txt there is d now}]"},
		{"another branch", commit, func(l *lab) { l.Git("checkout", "-q", "HEAD~1") },
			"[{ HEAD does not contain all of its commits}]"},
		{"the middle of a merge", commit, func(l *lab) {
			l.Git("checkout", "-qb", "other", "HEAD~1")
			l.Commit("other", "a.txt", "other\n"+numbered(1, 20))
			l.Git("checkout", "-q", "main")
			_, err := l.Try("merge", "other")
			if err == nil {
				l.T.Error("no conflict")
			}
		}, "[{ git is in the middle of a merge, rebase, cherry-pick or revert: finish or abort that first} {a.txt it is in an unresolved merge}]"},
		{"a switch", func(f *runtest.Repo) { f.Git("checkout", "-q", "other") }, func(*lab) {},
			"[{ it moved HEAD by a switch or a reset, which changed 1 files}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, func(f *runtest.Repo) {
				base(f)
				f.Git("branch", "other", "HEAD")
				f.Commit("more", "more.txt", "more\n")
			}, c.run)
			if strings.Contains(c.name, "merge") {
				l.Git("branch", "-D", "other")
			}
			c.later(l)
			before, status, index := readTree(t, l.Dir), l.Git("status", "--porcelain"), l.Git("ls-files", "--stage")
			gittest.Want(t, "refused", l.undo(), c.why)
			if d := before.differ(readTree(t, l.Dir)); len(d) > 0 || l.Git("status", "--porcelain") != status || l.Git("ls-files", "--stage") != index {
				t.Errorf("it changed %q", d)
			}
		})
	}
}

// TestUndoOfWhatWasNotKept: what can be given back is, and what cannot is said.
func TestUndoOfWhatWasNotKept(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		base(f)
		f.Write("large.bin", strings.Repeat("x", 1<<20+1))
		f.Write("small.txt", "mine\n")
		f.Write("secret.txt", "password: 1\n")
	}, func(f *runtest.Repo) {
		gittest.Must(f.T, os.Remove(f.Path("large.bin")))
		gittest.Must(f.T, os.Remove(f.Path("small.txt")))
		f.Write("secret.txt", "the run's\n")
	})
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	defer plan.Close()
	const why = "its contents were not kept: they are large, or hold a secret"
	gittest.Want(t, "left", fmt.Sprint(plan.Stays), fmt.Sprintf("[{large.bin %s} {secret.txt %s}]", why, why))
	_, err = plan.Apply(t.Context())
	gittest.Must(t, err)
	l.is("small.txt", "mine\n")
	l.is("secret.txt", "the run's\n")
}

// TestUndoOfAMode keeps later contents that are in no commit.
func TestUndoOfAMode(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		gittest.Must(f.T, os.Chmod(f.Path("b.txt"), 0o755))
		f.Git("commit", "-qam", "the run's")
	})
	gittest.Must(t, os.WriteFile(l.Path("b.txt"), []byte("later\n"), 0o755))
	gittest.Want(t, "refused", l.undo(), "")
	l.is("b.txt", "later\n")
	gittest.Want(t, "status", l.status(), " M b.txt")
	if info, err := os.Lstat(l.Path("b.txt")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("have %v, %v", info.Mode(), err)
	}
}

// TestUndoUnstages: what the run staged of a file that was put back by hand.
func TestUndoUnstages(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Write("b.txt", "changed\n")
		f.Git("add", "b.txt")
	})
	l.Write("b.txt", "b\n")
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	gittest.Must(t, plan.Close())
	if plan.Done() || strings.Join(plan.Unstage, " ") != "b.txt" || len(plan.Restore) > 0 {
		t.Errorf("the plan: done %v, unstage %q, restore %q", plan.Done(), plan.Unstage, plan.Restore)
	}
	gittest.Want(t, "refused", l.undo(), "")
	gittest.Want(t, "status", l.status(), "")
}

// TestUndoPutsBack: where a step fails, what was done before it is put back.
func TestUndoPutsBack(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("the run's", "a.txt", "the run's\n")
		f.Write("d/c.txt", "changed\n")
		f.Write("n/e/w.txt", "new\n")
		gittest.Must(f.T, os.Remove(f.Path("b.txt")))
	})
	before, head, index := readTree(t, l.Dir), l.Git("rev-parse", "HEAD"), l.Git("ls-files", "--stage")
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	lock := l.Path(".git/index.lock")
	gittest.Must(t, os.WriteFile(lock, nil, 0o600))
	if _, err := plan.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "index.lock") {
		t.Errorf("have %v, want the lock", err)
	}
	gittest.Must(t, plan.Close())
	gittest.Must(t, os.Remove(lock))
	if d := before.differ(readTree(t, l.Dir)); len(d) > 0 || l.Git("rev-parse", "HEAD") != head || l.Git("ls-files", "--stage") != index {
		t.Errorf("not put back: %q", d)
	}

	// A file that changes after the plan was made is not touched, and neither are the others.
	plan, err = New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	l.Write("n/e/w.txt", "just now\n")
	before = readTree(t, l.Dir)
	if _, err := plan.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "n/e/w.txt changed just now") {
		t.Errorf("have %v, want the change", err)
	}
	gittest.Must(t, plan.Close())
	if d := before.differ(readTree(t, l.Dir)); len(d) > 0 || l.Git("rev-parse", "HEAD") != head {
		t.Errorf("not put back: %q", d)
	}
	l.Write("n/e/w.txt", "new\n")
	gittest.Want(t, "refused", l.undo(), "")
	gittest.Want(t, "status", l.status(), "")
	if _, err := os.Lstat(l.Path("n")); err == nil {
		t.Error("an empty folder stays")
	}
	left, err := filepath.Glob(filepath.Join(l.Run, "agentflow-git-*"))
	gittest.Must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestUndoPutsAside: what an undo takes away and nothing else holds is kept.
func TestUndoPutsAside(t *testing.T) {
	secret, large := "password: 1234\n", strings.Repeat("x", 1<<20+1)
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Write("d/secret.txt", secret)
		f.Write("large.bin", large)
		f.Write("small.txt", "kept by the run\n")
	})
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	_, err = plan.Apply(t.Context())
	gittest.Must(t, err)
	gittest.Want(t, "aside", plan.Aside, filepath.Join(l.Run, "undone"))
	gittest.Must(t, plan.Close())
	gittest.Want(t, "kept", strings.Join(readTree(t, plan.Aside).differ(tree{}), " "), "d/secret.txt large.bin")
	got, err := os.ReadFile(filepath.Join(plan.Aside, "large.bin"))
	gittest.Must(t, err)
	gittest.Want(t, "size kept", fmt.Sprint(len(got)), fmt.Sprint(len(large)))
	gittest.Want(t, "status", l.status(), "")
}

// TestUndoPutsBackFromAside: an undo that fails leaves no folder behind.
func TestUndoPutsBackFromAside(t *testing.T) {
	large := strings.Repeat("x", 1<<20+1)
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Write("large.bin", large)
		f.Git("add", "b.txt")
		f.Write("b.txt", "changed\n")
		f.Git("add", "b.txt")
	})
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	gittest.Must(t, os.WriteFile(l.Path(".git/index.lock"), nil, 0o600))
	if _, err := plan.Apply(t.Context()); err == nil {
		t.Error("it did not fail")
	}
	gittest.Must(t, plan.Close())
	l.is("large.bin", large)
	if _, err := os.Lstat(filepath.Join(l.Run, "undone")); err == nil || plan.Aside != "" {
		t.Errorf("the folder stays: %q", plan.Aside)
	}
}

// keep lets what the run changed be kept, but for secrets.
func keep(ev *gitwatch.Evidence) {
	ev.Keep = func(content []byte) bool { return !strings.Contains(string(content), "password") }
}

// TestMixedIsRefused: what somebody else changed too is refused by name as long
// as it is there.
func TestMixedIsRefused(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("the run's", "a.txt", "the run's\n"+numbered(1, 20))
		f.Write("new.txt", "new\n")
		f.Write("other.txt", "other\n")
	})
	mix := func(list []edits.Change, mixed edits.Mixed) {
		for i, e := range list {
			if e.Path != "other.txt" {
				list[i].Mixed = mixed
			}
		}
	}
	why := "somebody else changed it too while the run was on"
	mix(l.request.Edits, edits.MixedYes)
	gittest.Want(t, "refused", l.undo(), "[{new.txt "+why+"}]")
	mix(l.request.Committed, edits.MixedYes)
	gittest.Want(t, "refused", l.undo(), "[{a.txt "+why+"} {new.txt "+why+"}]")
	l.is("new.txt", "new\n")
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	gittest.Must(t, plan.Close())
	gittest.Want(t, "left", strings.Join(plan.Left(), " "), "a.txt new.txt other.txt")
	mix(l.request.Committed, "")
	gittest.Must(t, os.Remove(l.Path("new.txt")))
	gittest.Want(t, "refused", l.undo(), "")
	l.is("a.txt", numbered(1, 20))
}
