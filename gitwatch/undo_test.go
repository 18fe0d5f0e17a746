package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lab is a repository with one run in it that can be taken back.
type lab struct {
	*fixture
	request UndoRequest
}

// newUndoLab lets prepare work before the run, and act be the run.
func newUndoLab(t *testing.T, prepare func(*fixture), act func(*fixture)) *lab {
	t.Helper()
	f := newFixture(t)
	f.git("config", "user.name", "A")
	f.git("config", "user.email", "a@example.org")
	prepare(f)
	set := f.during(func() { act(f) }, keep)
	return &lab{f, f.undoRequest(set)}
}

// undo plans and applies, and returns why it was refused.
func (l *lab) undo() string {
	l.t.Helper()
	plan, err := l.open().PlanUndo(l.t.Context(), l.request)
	must(l.t, err)
	defer plan.Close()
	if len(plan.Refused) > 0 {
		return fmt.Sprint(plan.Refused)
	}
	_, err = plan.Apply(l.t.Context())
	must(l.t, err)
	return ""
}

func (l *lab) is(name, content string) {
	l.t.Helper()
	got, err := os.ReadFile(l.path(name))
	must(l.t, err)
	want(l.t, name, string(got), content)
}

func (l *lab) status() string { return strings.TrimRight(l.git("status", "--porcelain"), "\n") }

func base(f *fixture) {
	f.commit("base", "a.txt", numbered(1, 20), "b.txt", "b\n", "d/c.txt", "c\n")
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestUndoAmongLaterWork: what others did beside the run stays.
func TestUndoAmongLaterWork(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		f.commit("the run's", "a.txt", "the run's\n"+numbered(1, 20))
		f.git("mv", "b.txt", "new.txt")
		f.write("new.txt", "b\nmore\n")
		f.write("staged.txt", "1\n")
		f.git("add", "staged.txt")
		f.write("staged.txt", "2\n")
	})
	// Later: another end of the same file, in a commit and in the work tree,
	// and something else that is staged.
	l.write("a.txt", "the run's\n"+numbered(1, 20)+"later\n")
	l.git("commit", "-qm", "later", "--", "a.txt")
	l.write("a.txt", "the run's\n"+numbered(1, 20)+"later\nlatest\n")
	l.write("user.txt", "user\n")
	l.git("add", "user.txt")
	want(t, "refused", l.undo(), "")
	l.is("a.txt", numbered(1, 20)+"later\nlatest\n")
	l.is("b.txt", "b\n")
	want(t, "HEAD", l.git("show", "HEAD:a.txt"), numbered(1, 20)+"later\n")
	want(t, "status", l.status(), " M a.txt\nA  user.txt")
	want(t, "message", l.git("log", "-1", "--format=%s %an"), "Revert the run A\n")
	want(t, "reflog", l.git("reflog", "-1", "--format=%gs"), "revert: Revert the run\n")
	want(t, "fsck", l.git("fsck", "--strict", "--no-dangling"), "")
}

func TestUndoRefuses(t *testing.T) {
	commit := func(f *fixture) { f.commit("the run's", "a.txt", "the run's\n"+numbered(1, 20)) }
	edit := func(f *fixture) { f.write("d/c.txt", "the run's\n"); f.write("new.txt", "new\n") }
	for _, c := range []struct {
		name  string
		run   func(*fixture)
		later func(*lab)
		why   string
	}{
		{"a later commit of the same lines", commit, func(l *lab) { l.commit("later", "a.txt", "later\n"+numbered(1, 20)) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later edit of the same lines", commit, func(l *lab) { l.write("a.txt", "later\n"+numbered(1, 20)) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later deletion", commit, func(l *lab) { must(l.t, os.Remove(l.path("a.txt"))) },
			"[{a.txt later work overlaps with what the run committed}]"},
		{"a later change that is staged", commit, func(l *lab) {
			l.write("a.txt", "the run's\n"+numbered(1, 21))
			l.git("add", "a.txt")
		}, "[{a.txt other changes of it are staged}]"},
		{"an edit of what was left", edit, func(l *lab) { l.write("new.txt", "newer\n") }, "[{new.txt it was changed after the run}]"},
		{"a mode of what was left", edit, func(l *lab) { must(l.t, os.Chmod(l.path("new.txt"), 0o755)) }, "[{new.txt it was changed after the run}]"},
		{"a folder where a file was", func(f *fixture) { must(f.t, os.Remove(f.path("d/c.txt"))) },
			func(l *lab) { l.write("d/c.txt/x", "x\n") }, "[{d/c.txt there is d/c.txt/x now}]"},
		{"a file where a folder was", func(f *fixture) { must(f.t, os.RemoveAll(f.path("d"))) },
			func(l *lab) { l.write("d", "x\n") }, "[{d/c.txt there is d now}]"},
		{"another branch", commit, func(l *lab) { l.git("checkout", "-q", "HEAD~1") },
			"[{ not all of its commits are on what is checked out}]"},
		{"the middle of a merge", commit, func(l *lab) {
			l.git("checkout", "-qb", "other", "HEAD~1")
			l.commit("other", "a.txt", "other\n"+numbered(1, 20))
			l.git("checkout", "-q", "main")
			_, err := l.try("merge", "other")
			if err == nil {
				l.t.Error("no conflict")
			}
		}, "[{ git is in the middle of a merge, rebase, cherry-pick or revert: finish or abort that first} {a.txt it stands in an unresolved merge}]"},
		{"contents that were not kept", func(f *fixture) { must(f.t, os.Remove(f.path("large.bin"))) }, func(*lab) {},
			"[{large.bin its contents were not kept: they are large, or hold a secret}]"},
		{"a switch", func(f *fixture) { f.git("checkout", "-q", "other") }, func(*lab) {},
			"[{ it moved HEAD otherwise than by its commits (by a switch, reset, pull or merge), which changed 1 files}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newUndoLab(t, func(f *fixture) {
				base(f)
				f.git("branch", "other", "HEAD")
				f.commit("more", "more.txt", "more\n")
				if strings.HasPrefix(c.name, "contents") {
					f.write("large.bin", strings.Repeat("x", maxKept+1))
				}
			}, c.run)
			if strings.HasPrefix(c.name, "contents") {
				l.request.Edits = []Edit{{Path: "large.bin", Before: EditFile{Mode: modeFile, Hash: blobID([]byte(strings.Repeat("x", maxKept+1)))}}}
			}
			if strings.Contains(c.name, "merge") {
				l.git("branch", "-D", "other")
			}
			c.later(l)
			before, status, index := readTree(t, l.dir), l.git("status", "--porcelain"), l.git("ls-files", "--stage")
			want(t, "refused", l.undo(), c.why)
			if d := before.differ(readTree(t, l.dir)); len(d) > 0 || l.git("status", "--porcelain") != status || l.git("ls-files", "--stage") != index {
				t.Errorf("it changed %q", d)
			}
		})
	}
}

// TestUndoOfAMode keeps later contents that are in no commit.
func TestUndoOfAMode(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		must(f.t, os.Chmod(f.path("b.txt"), 0o755))
		f.git("commit", "-qam", "the run's")
	})
	must(t, os.WriteFile(l.path("b.txt"), []byte("later\n"), 0o755))
	want(t, "refused", l.undo(), "")
	l.is("b.txt", "later\n")
	want(t, "status", l.status(), " M b.txt")
	if info, err := os.Lstat(l.path("b.txt")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("have %v, %v", info.Mode(), err)
	}
}

// TestUndoUnstages: what the run staged of a file that was put back by hand.
func TestUndoUnstages(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		f.write("b.txt", "changed\n")
		f.git("add", "b.txt")
	})
	l.write("b.txt", "b\n")
	plan, err := l.open().PlanUndo(t.Context(), l.request)
	must(t, err)
	must(t, plan.Close())
	if plan.Done() || strings.Join(plan.Unstage, " ") != "b.txt" || len(plan.Restore) > 0 {
		t.Errorf("the plan: done %v, unstage %q, restore %q", plan.Done(), plan.Unstage, plan.Restore)
	}
	want(t, "refused", l.undo(), "")
	want(t, "status", l.status(), "")
}

// TestUndoPutsBack: where a step fails, what was done before it is put back.
func TestUndoPutsBack(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		f.commit("the run's", "a.txt", "the run's\n")
		f.write("d/c.txt", "changed\n")
		f.write("n/e/w.txt", "new\n")
		must(f.t, os.Remove(f.path("b.txt")))
	})
	before, head, index := readTree(t, l.dir), l.git("rev-parse", "HEAD"), l.git("ls-files", "--stage")
	plan, err := l.open().PlanUndo(t.Context(), l.request)
	must(t, err)
	lock := l.path(".git/index.lock")
	must(t, os.WriteFile(lock, nil, 0o600))
	if _, err := plan.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "index.lock") {
		t.Errorf("have %v, want the lock", err)
	}
	must(t, plan.Close())
	must(t, os.Remove(lock))
	if d := before.differ(readTree(t, l.dir)); len(d) > 0 || l.git("rev-parse", "HEAD") != head || l.git("ls-files", "--stage") != index {
		t.Errorf("not put back: %q", d)
	}

	// A file that changes under the plan is left alone, and so is the rest.
	plan, err = l.open().PlanUndo(t.Context(), l.request)
	must(t, err)
	l.write("n/e/w.txt", "just now\n")
	before = readTree(t, l.dir)
	if _, err := plan.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "n/e/w.txt changed just now") {
		t.Errorf("have %v, want the change", err)
	}
	must(t, plan.Close())
	if d := before.differ(readTree(t, l.dir)); len(d) > 0 || l.git("rev-parse", "HEAD") != head {
		t.Errorf("not put back: %q", d)
	}
	l.write("n/e/w.txt", "new\n")
	want(t, "refused", l.undo(), "")
	want(t, "status", l.status(), "")
	if _, err := os.Lstat(l.path("n")); err == nil {
		t.Error("an empty folder stays")
	}
	left, err := filepath.Glob(filepath.Join(l.run, "agentflow-git-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
