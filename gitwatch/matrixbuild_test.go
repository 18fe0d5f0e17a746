package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

// lines returns a text of n lines that name their origin.
func lines(of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", of, i)
	}
	return b.String()
}

// plainHistory makes main with three commits, and from the second one the branches "side", which
// can be merged, and "clash", which cannot. It also makes "up", bare, with two commits more on
// main, and "forced", another second and third commit.
func plainHistory(f *fixture, format string) {
	f.Git("init", "-q", "--template=", "-b", "main", format)
	gittest.Must(f.T, os.Symlink("a.txt", f.Path("link")))
	f.Write("exec.sh", lines("exec", 5))
	gittest.Must(f.T, os.Chmod(f.Path("exec.sh"), 0o755))
	f.Commit("first", "a.txt", lines("a", 20), "b.txt", lines("b", 20), "dir/c.txt", lines("c", 20), "dir/deep/d.txt", lines("d", 20),
		"long.txt", lines("long", 60), "bin", "a\x00b", "odd\nname", lines("odd", 8), "latin\xe9.txt", lines("latin", 8),
		"free/one.txt", lines("one", 30), "free/two.txt", lines("two", 30), "free/sub/three.txt", lines("three", 30), ".gitignore", "*.log\n")
	f.Commit("second", "b.txt", lines("b", 18))
	f.Git("checkout", "-q", "-b", "side")
	f.Commit("on side", "side.txt", lines("side", 4), "a.txt", "side\n"+lines("a", 20))
	f.Git("checkout", "-q", "-b", "clash", "main")
	f.Commit("on clash", "dir/c.txt", "clash\n"+lines("c", 19))
	f.Git("checkout", "-q", "main")
	f.Commit("third", "dir/c.txt", "main\n"+lines("c", 19))
	f.Git("tag", "-a", "-m", "a tag", "v1")
	f.Git("clone", "-q", "--bare", "--template=", ".", "../up")
	f.Git("clone", "-q", "../up", "../work")
	w := f.at(f.Path("../work"), f.Run)
	for i := range 2 {
		w.Commit(fmt.Sprint("theirs ", i), fmt.Sprintf("up%d.txt", i), lines("up", 3), "long.txt", fmt.Sprint("up ", i, "\n", lines("long", 60)))
	}
	w.Git("push", "-q", "origin", "main")
	w.Git("reset", "-q", "--hard", "main~4")
	w.Commit("other second", "forced.txt", lines("forced", 3))
	w.Git("push", "-q", "origin", "main:forced")
	f.Git("-C", "../up", "repack", "-q", "-a", "-d")
	f.Git("repack", "-q", "-a", "-d") // fewer files to copy for each case
	gittest.Must(f.T, os.RemoveAll(w.Dir))
	f.Git("config", "remote.origin.url", "../up")
	f.Git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	f.Git("update-ref", "refs/remotes/origin/main", "main")
	f.Git("config", "branch.main.remote", "origin")
	f.Git("config", "branch.main.merge", "refs/heads/main")
}

// again writes every file as the settings now have it.
func (f *fixture) again() {
	f.Git("rm", "-q", "-r", "--cached", ".")
	f.Git("reset", "-q", "--hard")
}

// longAgo is older than every index that git writes.
var longAgo = time.Unix(1_000_000_000, 0)

// writeCRLF writes two files with CRLF, long ago.
func (f *fixture) writeCRLF() {
	for name, of := range map[string]string{"a.txt": "a", "free/one.txt": "one"} {
		f.Write(name, strings.ReplaceAll(lines(of, 20), "\n", "\r\n"))
		gittest.Must(f.T, os.Chtimes(f.Path(name), longAgo, longAgo))
	}
}

// rulesAfterCRLF commits files with CRLF, and after them the rule by which git would store LF: git
// finds the files changed if it looks at their contents, and unchanged if stat says so.
func (f *fixture) rulesAfterCRLF() {
	f.writeCRLF()
	f.Commit("crlf")
	f.Commit("rules", ".gitattributes", "*.txt text\n")
}

// user leaves edits of every kind in the work tree.
func (f *fixture) user() {
	f.Write("b.txt", "the user's\n"+lines("b", 18))
	f.Write("long.txt", "staged\n"+lines("long", 60))
	f.Git("add", "long.txt")
	f.Write("long.txt", "staged\n"+lines("long", 60)+"and edited\n")
	f.Write("notes.txt", "mine\n")
	gittest.Must(f.T, os.Remove(f.Path("bin")))
}

func (f *fixture) zeroChecksum() {
	raw, err := os.ReadFile(f.Path(".git/index"))
	gittest.Must(f.T, err)
	clear(raw[len(raw)-20:])
	gittest.Must(f.T, os.WriteFile(f.Path(".git/index"), raw, 0o644))
}

// cloned makes a clone of a plain repository. The remote is removed if objects could be fetched
// from it.
func (f *fixture) cloned(args ...string) {
	up := f.at(f.Path("../source"), f.Run)
	gittest.Must(f.T, os.MkdirAll(up.Dir, 0o755))
	plainHistory(up, "--object-format=sha1")
	up.Git("clone", "-q", "--bare", "--template=", ".", "../up0")
	up0 := f.at(f.Path("../up0"), f.Run)
	up0.Git("config", "uploadpack.allowFilter", "true")
	gittest.Must(f.T, os.RemoveAll(f.Dir))
	from := f.at(f.Path(".."), f.Run)
	from.Git(append([]string{"clone", "-q", "--template=", "--no-single-branch", "--no-tags"}, append(args, "repo")...)...)
	for _, b := range []string{"side", "clash"} {
		f.Git("branch", "-q", b, "origin/"+b)
	}
	f.Git("config", "remote.origin.url", "../up")
	if strings.Contains(args[0], "filter") {
		f.Git("config", "remote.origin.url", "../gone")
	}
}

// prepare builds the template, once. The template is a copy, as each case is: its files have other
// inodes than the index says, so that git looks at their contents in both. Otherwise git would
// look in the template only at files that are as young as the index.
func (s *matrixShape) prepare(t testing.TB) {
	s.once.Do(func() {
		made := s.base + ".made"
		f := &fixture{gittest.Repo{T: t, Dir: filepath.Join(made, "repo"), Run: filepath.Join(made, "run"), Ticks: new(int)}}
		if s.from != nil {
			s.from.prepare(t)
			gittest.Must(t, copyTree(s.from.base, made))
			*f.Ticks = 100
		}
		gittest.Must(t, os.MkdirAll(f.Dir, 0o755))
		gittest.Must(t, os.MkdirAll(f.Run, 0o755))
		if s.needs != nil && !s.needs(f) {
			s.missing = true
			return
		}
		s.build(f)
		gittest.Must(t, os.RemoveAll(f.Run))
		gittest.Must(t, copyTree(made, s.base))
		f.Dir = filepath.Join(s.base, s.tree)
		s.start = f.look(s.base)
	})
	if s.start == nil && !s.missing {
		t.Fatal("the shape could not be built")
	}
}
