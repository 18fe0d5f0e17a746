package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines is a text of n lines that tells where it is from.
func lines(of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", of, i)
	}
	return b.String()
}

// plainHistory makes main with three commits, and from the second one the
// branches "side", which can be merged, and "clash", which cannot; beside it
// "up", bare, with two commits more on main, and "forced", another second and
// third commit.
func plainHistory(f *fixture, format string) {
	f.git("init", "-q", "--template=", "-b", "main", format)
	must(f.t, os.Symlink("a.txt", f.path("link")))
	f.write("exec.sh", lines("exec", 5))
	must(f.t, os.Chmod(f.path("exec.sh"), 0o755))
	f.commit("first", "a.txt", lines("a", 20), "b.txt", lines("b", 20), "dir/c.txt", lines("c", 20), "dir/deep/d.txt", lines("d", 20),
		"long.txt", lines("long", 60), "bin", "a\x00b", "odd\nname", lines("odd", 8), "latin\xe9.txt", lines("latin", 8),
		"free/one.txt", lines("one", 30), "free/two.txt", lines("two", 30), "free/sub/three.txt", lines("three", 30), ".gitignore", "*.log\n")
	f.commit("second", "b.txt", lines("b", 18))
	f.git("checkout", "-q", "-b", "side")
	f.commit("on side", "side.txt", lines("side", 4), "a.txt", "side\n"+lines("a", 20))
	f.git("checkout", "-q", "-b", "clash", "main")
	f.commit("on clash", "dir/c.txt", "clash\n"+lines("c", 19))
	f.git("checkout", "-q", "main")
	f.commit("third", "dir/c.txt", "main\n"+lines("c", 19))
	f.git("tag", "-a", "-m", "a tag", "v1")
	f.git("clone", "-q", "--bare", "--template=", ".", "../up")
	f.git("clone", "-q", "../up", "../work")
	w := f.at(f.path("../work"), f.run)
	for i := range 2 {
		w.commit(fmt.Sprint("theirs ", i), fmt.Sprintf("up%d.txt", i), lines("up", 3), "long.txt", fmt.Sprint("up ", i, "\n", lines("long", 60)))
	}
	w.git("push", "-q", "origin", "main")
	w.git("reset", "-q", "--hard", "main~4")
	w.commit("other second", "forced.txt", lines("forced", 3))
	w.git("push", "-q", "origin", "main:forced")
	f.git("-C", "../up", "repack", "-q", "-a", "-d")
	f.git("repack", "-q", "-a", "-d") // fewer files to copy for each case
	must(f.t, os.RemoveAll(w.dir))
	f.git("config", "remote.origin.url", "../up")
	f.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	f.git("update-ref", "refs/remotes/origin/main", "main")
	f.git("config", "branch.main.remote", "origin")
	f.git("config", "branch.main.merge", "refs/heads/main")
}

// again writes every file as the settings now have it.
func (f *fixture) again() {
	f.git("rm", "-q", "-r", "--cached", ".")
	f.git("reset", "-q", "--hard")
}

// user leaves edits of every kind in the work tree.
func (f *fixture) user() {
	f.write("b.txt", "the user's\n"+lines("b", 18))
	f.write("long.txt", "staged\n"+lines("long", 60))
	f.git("add", "long.txt")
	f.write("long.txt", "staged\n"+lines("long", 60)+"and edited\n")
	f.write("notes.txt", "mine\n")
	must(f.t, os.Remove(f.path("bin")))
}

func (f *fixture) zeroChecksum() {
	raw, err := os.ReadFile(f.path(".git/index"))
	must(f.t, err)
	clear(raw[len(raw)-20:])
	must(f.t, os.WriteFile(f.path(".git/index"), raw, 0o644))
}

// cloned is a clone of a plain repository, whose remote goes away if objects
// could be fetched from it.
func (f *fixture) cloned(args ...string) {
	up := f.at(f.path("../source"), f.run)
	must(f.t, os.MkdirAll(up.dir, 0o755))
	plainHistory(up, "--object-format=sha1")
	up.git("clone", "-q", "--bare", "--template=", ".", "../up0")
	up0 := f.at(f.path("../up0"), f.run)
	up0.git("config", "uploadpack.allowFilter", "true")
	must(f.t, os.RemoveAll(f.dir))
	from := f.at(f.path(".."), f.run)
	from.git(append([]string{"clone", "-q", "--template=", "--no-single-branch", "--no-tags"}, append(args, "repo")...)...)
	for _, b := range []string{"side", "clash"} {
		f.git("branch", "-q", b, "origin/"+b)
	}
	f.git("config", "remote.origin.url", "../up")
	if strings.Contains(args[0], "filter") {
		f.git("config", "remote.origin.url", "../gone")
	}
}

// prepare builds the template, once.
func (s *matrixShape) prepare(t testing.TB) {
	s.once.Do(func() {
		f := &fixture{t: t, dir: filepath.Join(s.base, "repo"), run: filepath.Join(s.base, "run"), ticks: new(int)}
		if s.from != nil {
			s.from.prepare(t)
			must(t, copyTree(s.from.base, s.base))
			*f.ticks = 100
		}
		must(t, os.MkdirAll(f.dir, 0o755))
		must(t, os.MkdirAll(f.run, 0o755))
		if s.needs != nil && !s.needs(f) {
			s.missing = true
			return
		}
		s.build(f)
		f.dir = filepath.Join(s.base, s.tree)
		must(t, os.RemoveAll(f.run))
		s.start = f.look(s.base)
	})
	if s.start == nil && !s.missing {
		t.Fatal("the shape could not be built")
	}
}
