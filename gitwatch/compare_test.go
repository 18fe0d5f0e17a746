package gitwatch

import (
	"os"
	"testing"

	"agentflow/internal/testing/gittest"
)

func TestCommitsAndEdits(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "one\ntwo\n", "b.txt", "b\n", "old/name.txt", "1\n2\n3\n4\n5\n")
	base := f.Git("rev-parse", "HEAD")
	set := f.during(func() {
		f.Write("a.txt", "one\nTWO\nthree\n")
		f.Git("commit", "-qam", "second\tthing")
		f.Git("mv", "old/name.txt", "new.txt")
		f.Git("commit", "-qm", "move it")
		f.Write("b.txt", "b\nmore\n")
		f.Write("fresh.txt", "x\ny\n")
	})
	gittest.Want(t, "commits", subjectsOf(set.Commits), "second thing, move it")
	gittest.Want(t, "changes", gittest.Show(set.Changes), "M a.txt +2 -1\nR new.txt <- old/name.txt +0 -0")
	gittest.Want(t, "against git", gittest.Show(set.Changes), f.gitDiff(base[:40], "HEAD"))
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M b.txt +1 -0\nA fresh.txt +2 -0")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
	gittest.Want(t, "branch", set.Branch, "main")
	gittest.Want(t, "base", set.Base, base[:40])
}

func TestDirtyBefore(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "one\ntwo\n", "b.txt", "b\n", "c.txt", "c\n")
	f.Write("a.txt", "user\none\ntwo\n")
	f.Write("b.txt", "user\nb\n")
	f.Write("notes.txt", "mine\n")
	f.Write("gone.txt", "mine\n")
	set := f.during(func() {
		f.Write("a.txt", "user\none\ntwo\nrun\n")
		f.Git("commit", "-qm", "sweep", "--", "a.txt")
		f.Write("b.txt", "user\nb\nrun\n")
		f.Write("notes.txt", "mine\nmore\n")
		gittest.Must(t, os.Remove(f.Path("gone.txt")))
	}, func(ev *Evidence) { wrote(ev, "b.txt", f.Path("gone.txt"), ".agentflow/memory/MEMORY.md") })
	gittest.Want(t, "changes", gittest.Show(set.Changes), "M a.txt +1 -0 (already changed before)")
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M b.txt +1 -0\nD gone.txt +0 -1")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "M notes.txt")
	gittest.Want(t, "remark", set.Remarks[0], "edited .agentflow/memory/MEMORY.md")
}
