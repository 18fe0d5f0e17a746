package gitwatch

import (
	"os"
	"testing"
)

func TestCommitsAndEdits(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "one\ntwo\n", "b.txt", "b\n", "old/name.txt", "1\n2\n3\n4\n5\n")
	base := f.git("rev-parse", "HEAD")
	set := f.during(func() {
		f.write("a.txt", "one\nTWO\nthree\n")
		f.git("commit", "-qam", "second\tthing")
		f.git("mv", "old/name.txt", "new.txt")
		f.git("commit", "-qm", "move it")
		f.write("b.txt", "b\nmore\n")
		f.write("fresh.txt", "x\ny\n")
	})
	want(t, "commits", subjectsOf(set), "second thing, move it")
	want(t, "changes", show(set.Changes), "M a.txt +2 -1\nR new.txt <- old/name.txt +0 -0")
	want(t, "against git", show(set.Changes), f.gitDiff(base[:40], "HEAD"))
	want(t, "uncommitted", show(set.Uncommitted), "M b.txt +1 -0\nA fresh.txt +2 -0")
	want(t, "meanwhile", show(set.Meanwhile), "")
	want(t, "branch", set.Branch, "main")
	want(t, "base", set.Base, base[:40])
}

func TestDirtyBefore(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "one\ntwo\n", "b.txt", "b\n", "c.txt", "c\n")
	f.write("a.txt", "user\none\ntwo\n")
	f.write("b.txt", "user\nb\n")
	f.write("notes.txt", "mine\n")
	f.write("gone.txt", "mine\n")
	set := f.during(func() {
		f.write("a.txt", "user\none\ntwo\nrun\n")
		f.git("commit", "-qm", "sweep", "--", "a.txt")
		f.write("b.txt", "user\nb\nrun\n")
		f.write("notes.txt", "mine\nmore\n")
		must(t, os.Remove(f.path("gone.txt")))
	}, func(ev *Evidence) { ev.Touched = []string{"b.txt", f.path("gone.txt"), ".agentflow/memory/MEMORY.md"} })
	want(t, "changes", show(set.Changes), "M a.txt +1 -0 (already changed before)")
	want(t, "uncommitted", show(set.Uncommitted), "M b.txt +1 -0\nD gone.txt +0 -1")
	want(t, "meanwhile", show(set.Meanwhile), "M notes.txt")
	want(t, "remark", set.Remarks[0], "edited .agentflow/memory/MEMORY.md")
}
