package gitwatch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

// again is a repository for which Repo has taken snapshots before. By its clock all files are an
// hour old, so that everything that may be remembered is.
type again struct {
	*fixture
	repo *Repo
	// apart says that git gives another answer: it compares times only to the second, and lists
	// files that are gone from the index only.
	apart bool
}

func newAgain(f *fixture) *again {
	a := &again{fixture: f, repo: f.open()}
	a.repo.tree.Clock = func() time.Time { return time.Now().Add(time.Hour) }
	return a
}

// tick waits until the file system's clock has moved, so that a change is
// later than what was looked at.
func (a *again) tick() {
	a.T.Helper()
	probe := filepath.Join(a.Run, "probe")
	stamp := func() time.Time {
		gittest.Must(a.T, os.WriteFile(probe, nil, 0o600))
		return fileTime(a.T, probe)
	}
	first := stamp()
	for deadline := time.Now().Add(10 * time.Second); !stamp().After(first); {
		if time.Now().After(deadline) {
			a.T.Fatal("the clock of the file system stands still")
		}
	}
}

// same compares a snapshot with that of a Repo that remembers nothing, and
// its paths with git's.
func (a *again) same() {
	a.T.Helper()
	got, err := a.repo.takeSnapshot(a.T.Context(), nil)
	gittest.Must(a.T, err)
	want, err := a.open().takeSnapshot(a.T.Context(), nil)
	gittest.Must(a.T, err)
	if !reflect.DeepEqual(got.Dirty, want.Dirty) || !reflect.DeepEqual(got.Unread, want.Unread) {
		a.T.Errorf("a second snapshot:\n got %v %v\nwant %v %v", got.Dirty, got.Unread, want.Dirty, want.Unread)
	}
	if a.apart {
		return
	}
	paths := map[string]bool{}
	for _, d := range got.Dirty {
		paths[string(d.Path)] = true
	}
	if ours, git := sortedLines(sortedKeys(paths)), a.gitDirty(); ours != git {
		a.T.Errorf("dirty paths:\n got %q\nwant %q", ours, git)
	}
}

// keepTime does something to a file or folder and puts its time back.
func (a *again) keepTime(name string, do func()) {
	a.T.Helper()
	a.apart = true
	old := fileTime(a.T, a.Path(name))
	do()
	gittest.Must(a.T, os.Chtimes(a.Path(name), old, old))
}

// TestSecondSnapshot does between two snapshots what one that remembers too
// much would not see.
func TestSecondSnapshot(t *testing.T) {
	cases := map[string]func(a *again){
		"nothing":                  func(*again) {},
		"edited in place":          func(a *again) { a.Write("dir/b.txt", "edited\n") },
		"edited again":             func(a *again) { a.Write("edited.txt", "otherwise\n") },
		"edit taken back":          func(a *again) { a.Write("edited.txt", "e\n") },
		"same size and time":       func(a *again) { a.keepTime("dir/b.txt", func() { a.Write("dir/b.txt", "c\n") }) },
		"untracked, same time":     func(a *again) { a.keepTime("new/x", func() { a.Write("new/x", "y\n") }) },
		"edited file, same time":   func(a *again) { a.keepTime("edited.txt", func() { a.Write("edited.txt", "Edited\n") }) },
		"put in place, same time":  func(a *again) { a.keepTime("edited.txt", func() { a.replace("edited.txt", "Edited\n") }) },
		"exec bit":                 func(a *again) { gittest.Must(a.T, os.Chmod(a.Path("dir/b.txt"), 0o755)) },
		"new file":                 func(a *again) { a.Write("dir/n", "n\n") },
		"new file, folder's time":  func(a *again) { a.keepTime("dir", func() { a.Write("dir/n", "n\n") }) },
		"new in an untracked":      func(a *again) { a.keepTime("new", func() { a.Write("new/z", "z\n") }) },
		"new folder":               func(a *again) { a.Write("dir/sub/sub/n", "n\n") },
		"untracked gone":           func(a *again) { gittest.Must(a.T, os.RemoveAll(a.Path("new"))) },
		"one gone, one new":        func(a *again) { a.keepTime("dir", func() { a.replaceName("dir/b.txt", "dir/n.txt") }) },
		"tracked gone":             func(a *again) { gittest.Must(a.T, os.Remove(a.Path("dir/b.txt"))) },
		"tracked folder gone":      func(a *again) { gittest.Must(a.T, os.RemoveAll(a.Path("dir"))) },
		"folder to link":           func(a *again) { a.replaceName("dir", "moved"); gittest.Must(a.T, os.Symlink("moved", a.Path("dir"))) },
		"folder to file":           func(a *again) { gittest.Must(a.T, os.RemoveAll(a.Path("dir/deep"))); a.Write("dir/deep", "x\n") },
		"file to folder":           func(a *again) { gittest.Must(a.T, os.Remove(a.Path("dir/b.txt"))); a.Write("dir/b.txt/in", "x\n") },
		"another folder, its time": func(a *again) { a.keepTime("new", func() { a.replaceName("new", "old"); a.Write("new/y", "x\n") }) },
		"folders change places": func(a *again) {
			a.replaceName("new", "third")
			a.replaceName("other", "new")
			a.replaceName("third", "other")
		},
		"ignored from now on":      func(a *again) { a.Write(".gitignore", "new\n*.log\n") },
		"ignored no more":          func(a *again) { a.Write(".gitignore", "\n") },
		"ignore rules, their time": func(a *again) { a.keepTime(".gitignore", func() { a.Write(".gitignore", "new  \n") }) },
		"ignored below":            func(a *again) { a.Write("new/.gitignore", "x\n") },
		"info/exclude":             func(a *again) { a.Write(".git/info/exclude", "other\n") },
		"ignore rules are a link": func(a *again) {
			a.Write("rules", "x\n")
			gittest.Must(a.T, os.Symlink("../rules", a.Path("new/.gitignore")))
		},
		"git add":              func(a *again) { a.Git("add", "new/x", "edited.txt") },
		"git add and edit":     func(a *again) { a.Git("add", "edited.txt"); a.Write("edited.txt", "e\n") },
		"git add -N":           func(a *again) { a.Git("add", "-N", "new/x") },
		"git commit":           func(a *again) { a.Git("add", "-A"); a.Git("commit", "-qm", "all") },
		"git commit of one":    func(a *again) { a.Git("commit", "-qm", "one", "edited.txt") },
		"git rm --cached":      func(a *again) { a.apart = true; a.Git("rm", "-q", "--cached", "dir/b.txt") },
		"git rm --cached, all": func(a *again) { a.apart = true; a.Git("rm", "-rq", "--cached", "dir") },
		"git rm":               func(a *again) { a.Git("rm", "-q", "dir/b.txt") },
		"git mv":               func(a *again) { a.Git("mv", "dir", "new/dir") },
		"git checkout":         func(a *again) { a.Git("checkout", "-q", "-f", "side") },
		"git reset":            func(a *again) { a.Git("reset", "-q", "--hard", "HEAD~1") },
		"git reset --soft":     func(a *again) { a.Git("reset", "-q", "--soft", "HEAD~1") },
		"git stash":            func(a *again) { a.Git("stash", "-q", "-u") },
		"git clean":            func(a *again) { a.Git("clean", "-qfdx") },
		"conflict":             func(a *again) { a.Git("checkout", "-qf", "main"); _, _ = a.Try("merge", "-q", "side") },
		"nested repository":    func(a *again) { a.Git("init", "-q", "new") },
		"nested in a tracked":  func(a *again) { a.Git("init", "-q", "dir") },
		"nested in parts": func(a *again) { // the HEAD appears where nothing above it moves
			gittest.Must(a.T, os.MkdirAll(a.Path("new/.git"), 0o755))
			a.same()
			a.Git("init", "-q", "new")
		},
		"converted from now on": func(a *again) {
			a.Write("edited.txt", "e\r\n")
			a.same()
			a.tick()
			a.Git("config", "core.autocrlf", "input")
		},
		"no index": func(a *again) { a.apart = true; gittest.Must(a.T, os.Remove(a.Path(".git/index"))) },
		"no index checksum": func(a *again) {
			a.Git("config", "index.skipHash", "true")
			a.Git("add", "new/x")
			a.same()
			a.Git("rm", "-q", "--cached", "new/x")
		},
		"index of another":    func(a *again) { a.Git("update-index", "--index-version", "4") },
		"submodule is cloned": func(a *again) { a.Git("clone", "-q", a.Dir, a.Path("sub")); a.Git("add", "sub") },
	}
	template := aged(t)
	for _, name := range sortedKeys(cases) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repo")
			gittest.Must(t, os.CopyFS(dir, os.DirFS(template.Dir)))
			f := template.at(dir, filepath.Join(t.TempDir(), "run"))
			f.T = t
			f.Git("update-index", "-q", "--refresh")
			f.settle()
			a := newAgain(f)
			a.same()
			a.tick()
			cases[name](a)
			a.same()
			a.same()
		})
	}
}

// aged is a repository with something of everything.
func aged(t *testing.T) *fixture {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n", "dir/b.txt", "b\n", "dir/deep/c.txt", "c\n", "edited.txt", "e\n")
	f.Git("checkout", "-q", "-b", "side")
	f.Commit("side", "dir/b.txt", "side\n", "dir/side.txt", "s\n")
	f.Git("checkout", "-q", "main")
	f.Commit("more", ".gitignore", "*.log\n", "dir/b.txt", "b\n", "dir/more.txt", "m\n")
	f.Write("edited.txt", "edited\n")
	for _, n := range []string{"new/x", "new/deep/x.log", "new/deep/y", "other/x", "dir/x.log"} {
		f.Write(n, "x\n")
	}
	gittest.Must(t, os.MkdirAll(f.Path(".git/info"), 0o755))
	return f
}

// replace puts another file in place of one, as editors do.
func (a *again) replace(name, content string) {
	a.Write(name+".tmp", content)
	a.replaceName(name+".tmp", name)
}

func (a *again) replaceName(from, to string) { gittest.Must(a.T, os.Rename(a.Path(from), a.Path(to))) }

// TestManySnapshots lets random things happen between the snapshots of one
// Repo.
func TestManySnapshots(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := aged(t)
			f.settle()
			act := &actor{fixture: f, rnd: rand.New(rand.NewPCG(seed, 11))}
			a := newAgain(act.fixture)
			for range 25 {
				act.act()
				a.same()
				if t.Failed() {
					t.Fatalf("did:\n%v", act.log)
				}
				a.tick()
			}
		})
	}
}

// TestStartIsRemembered holds the snapshot that a Repo remembers against its
// JSON, from which another process has it.
func TestStartIsRemembered(t *testing.T) {
	f := aged(t)
	f.Git("checkout", "-q", "-f", "main")
	_, _ = f.Try("merge", "-q", "side") // a conflict
	f.Write("new/caf\xe9", "x\n")
	f.Write("attributes/.gitattributes", "* text=auto\n")
	f.Write("attributes/crlf", "x\r\n")
	r := f.open()
	raw, err := r.Snapshot(t.Context(), f.Run, time.Time{}, nil)
	gittest.Must(t, err)
	got, err := r.start(slices.Clone(raw))
	gittest.Must(t, err)
	want, err := parseSnapshot(raw)
	gittest.Must(t, err)
	if !reflect.DeepEqual(got, want) || len(got.dirty) < 5 {
		t.Errorf("it remembers %+v\nand its JSON says %+v", got, want)
	}
	f.Write("new/another", "x\n")
	if _, err = r.Snapshot(t.Context(), f.Run, time.Time{}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err = r.start(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of an earlier one, too: %+v, %v", got, err)
	}
}

// TestLargeFolder compares a folder that is more than one piece of work.
func TestLargeFolder(t *testing.T) {
	f := newFixture(t)
	for i := range 2*2048 + 3 {
		f.Write(fmt.Sprintf("dir/f%04d", i), "x\n")
	}
	f.Commit("base", "dir/sub/in", "x\n")
	f.settle()
	a := newAgain(f)
	a.same()
	a.tick()
	f.Write("dir/f0001", "edited\n")
	f.Write("dir/new", "x\n")
	gittest.Must(t, os.Remove(f.Path(fmt.Sprintf("dir/f%04d", 2*2048))))
	a.same()
}
