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
)

// again is a repository whose Repo has taken snapshots before. By its clock
// all files are an hour old, so that whatever may be remembered is.
type again struct {
	*fixture
	repo *Repo
	// apart says that git has another answer: it looks at times to the
	// second only, and lists what is gone from the index alone.
	apart bool
}

func newAgain(f *fixture) *again {
	a := &again{fixture: f, repo: f.open()}
	a.repo.memo.clock = func() time.Time { return time.Now().Add(time.Hour) }
	return a
}

// tick waits until the file system's clock has moved, so that a change is
// later than what was looked at.
func (a *again) tick() {
	a.t.Helper()
	probe := filepath.Join(a.run, "probe")
	stamp := func() time.Time {
		must(a.t, os.WriteFile(probe, nil, 0o600))
		return fileTime(a.t, probe)
	}
	first := stamp()
	for deadline := time.Now().Add(10 * time.Second); !stamp().After(first); {
		if time.Now().After(deadline) {
			a.t.Fatal("the clock of the file system stands still")
		}
	}
}

// same compares a snapshot with that of a Repo that remembers nothing, and
// its paths with git's.
func (a *again) same() {
	a.t.Helper()
	got, err := a.repo.take(a.t.Context(), nil)
	must(a.t, err)
	want, err := a.open().take(a.t.Context(), nil)
	must(a.t, err)
	if !reflect.DeepEqual(got.Dirty, want.Dirty) || !reflect.DeepEqual(got.Unread, want.Unread) {
		a.t.Errorf("a second snapshot:\n got %v %v\nwant %v %v", got.Dirty, got.Unread, want.Dirty, want.Unread)
	}
	if a.apart {
		return
	}
	paths := map[string]bool{}
	for _, d := range got.Dirty {
		paths[string(d.Path)] = true
	}
	if ours, git := sortedLines(sortedKeys(paths)), a.gitDirty(); ours != git {
		a.t.Errorf("dirty paths:\n got %q\nwant %q", ours, git)
	}
}

// keepTime does something to a file or folder and puts its time back.
func (a *again) keepTime(name string, do func()) {
	a.t.Helper()
	a.apart = true
	old := fileTime(a.t, a.path(name))
	do()
	must(a.t, os.Chtimes(a.path(name), old, old))
}

// TestSecondSnapshot does between two snapshots what one that remembers too
// much would not see.
func TestSecondSnapshot(t *testing.T) {
	cases := map[string]func(a *again){
		"nothing":                  func(*again) {},
		"edited in place":          func(a *again) { a.write("dir/b.txt", "edited\n") },
		"edited again":             func(a *again) { a.write("edited.txt", "otherwise\n") },
		"edit taken back":          func(a *again) { a.write("edited.txt", "e\n") },
		"same size and time":       func(a *again) { a.keepTime("dir/b.txt", func() { a.write("dir/b.txt", "c\n") }) },
		"untracked, same time":     func(a *again) { a.keepTime("new/x", func() { a.write("new/x", "y\n") }) },
		"edited file, same time":   func(a *again) { a.keepTime("edited.txt", func() { a.write("edited.txt", "Edited\n") }) },
		"put in place, same time":  func(a *again) { a.keepTime("edited.txt", func() { a.replace("edited.txt", "Edited\n") }) },
		"exec bit":                 func(a *again) { must(a.t, os.Chmod(a.path("dir/b.txt"), 0o755)) },
		"new file":                 func(a *again) { a.write("dir/n", "n\n") },
		"new file, folder's time":  func(a *again) { a.keepTime("dir", func() { a.write("dir/n", "n\n") }) },
		"new in an untracked":      func(a *again) { a.keepTime("new", func() { a.write("new/z", "z\n") }) },
		"new folder":               func(a *again) { a.write("dir/sub/sub/n", "n\n") },
		"untracked gone":           func(a *again) { must(a.t, os.RemoveAll(a.path("new"))) },
		"one gone, one new":        func(a *again) { a.keepTime("dir", func() { a.replaceName("dir/b.txt", "dir/n.txt") }) },
		"tracked gone":             func(a *again) { must(a.t, os.Remove(a.path("dir/b.txt"))) },
		"tracked folder gone":      func(a *again) { must(a.t, os.RemoveAll(a.path("dir"))) },
		"folder to link":           func(a *again) { a.replaceName("dir", "moved"); must(a.t, os.Symlink("moved", a.path("dir"))) },
		"folder to file":           func(a *again) { must(a.t, os.RemoveAll(a.path("dir/deep"))); a.write("dir/deep", "x\n") },
		"file to folder":           func(a *again) { must(a.t, os.Remove(a.path("dir/b.txt"))); a.write("dir/b.txt/in", "x\n") },
		"another folder, its time": func(a *again) { a.keepTime("new", func() { a.replaceName("new", "old"); a.write("new/y", "x\n") }) },
		"folders change places": func(a *again) {
			a.replaceName("new", "third")
			a.replaceName("other", "new")
			a.replaceName("third", "other")
		},
		"ignored from now on":      func(a *again) { a.write(".gitignore", "new\n*.log\n") },
		"ignored no more":          func(a *again) { a.write(".gitignore", "\n") },
		"ignore rules, their time": func(a *again) { a.keepTime(".gitignore", func() { a.write(".gitignore", "new  \n") }) },
		"ignored below":            func(a *again) { a.write("new/.gitignore", "x\n") },
		"info/exclude":             func(a *again) { a.write(".git/info/exclude", "other\n") },
		"ignore rules are a link":  func(a *again) { a.write("rules", "x\n"); must(a.t, os.Symlink("../rules", a.path("new/.gitignore"))) },
		"git add":                  func(a *again) { a.git("add", "new/x", "edited.txt") },
		"git add and edit":         func(a *again) { a.git("add", "edited.txt"); a.write("edited.txt", "e\n") },
		"git add -N":               func(a *again) { a.git("add", "-N", "new/x") },
		"git commit":               func(a *again) { a.git("add", "-A"); a.git("commit", "-qm", "all") },
		"git commit of one":        func(a *again) { a.git("commit", "-qm", "one", "edited.txt") },
		"git rm --cached":          func(a *again) { a.apart = true; a.git("rm", "-q", "--cached", "dir/b.txt") },
		"git rm --cached, all":     func(a *again) { a.apart = true; a.git("rm", "-rq", "--cached", "dir") },
		"git rm":                   func(a *again) { a.git("rm", "-q", "dir/b.txt") },
		"git mv":                   func(a *again) { a.git("mv", "dir", "new/dir") },
		"git checkout":             func(a *again) { a.git("checkout", "-q", "-f", "side") },
		"git reset":                func(a *again) { a.git("reset", "-q", "--hard", "HEAD~1") },
		"git reset --soft":         func(a *again) { a.git("reset", "-q", "--soft", "HEAD~1") },
		"git stash":                func(a *again) { a.git("stash", "-q", "-u") },
		"git clean":                func(a *again) { a.git("clean", "-qfdx") },
		"conflict":                 func(a *again) { a.git("checkout", "-qf", "main"); _, _ = a.try("merge", "-q", "side") },
		"nested repository":        func(a *again) { a.git("init", "-q", "new") },
		"nested in a tracked":      func(a *again) { a.git("init", "-q", "dir") },
		"nested in parts": func(a *again) { // the HEAD appears where nothing above it moves
			must(a.t, os.MkdirAll(a.path("new/.git"), 0o755))
			a.same()
			a.git("init", "-q", "new")
		},
		"converted from now on": func(a *again) {
			a.write("edited.txt", "e\r\n")
			a.same()
			a.tick()
			a.git("config", "core.autocrlf", "input")
		},
		"no index": func(a *again) { a.apart = true; must(a.t, os.Remove(a.path(".git/index"))) },
		"no index checksum": func(a *again) {
			a.git("config", "index.skipHash", "true")
			a.git("add", "new/x")
			a.same()
			a.git("rm", "-q", "--cached", "new/x")
		},
		"index of another":    func(a *again) { a.git("update-index", "--index-version", "4") },
		"submodule is cloned": func(a *again) { a.git("clone", "-q", a.dir, a.path("sub")); a.git("add", "sub") },
	}
	template := aged(t)
	for _, name := range sortedKeys(cases) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repo")
			must(t, os.CopyFS(dir, os.DirFS(template.dir)))
			f := template.at(dir, filepath.Join(t.TempDir(), "run"))
			f.t = t
			f.git("update-index", "-q", "--refresh")
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
	f.commit("base", "a.txt", "a\n", "dir/b.txt", "b\n", "dir/deep/c.txt", "c\n", "edited.txt", "e\n")
	f.git("checkout", "-q", "-b", "side")
	f.commit("side", "dir/b.txt", "side\n", "dir/side.txt", "s\n")
	f.git("checkout", "-q", "main")
	f.commit("more", ".gitignore", "*.log\n", "dir/b.txt", "b\n", "dir/more.txt", "m\n")
	f.write("edited.txt", "edited\n")
	for _, n := range []string{"new/x", "new/deep/x.log", "new/deep/y", "other/x", "dir/x.log"} {
		f.write(n, "x\n")
	}
	must(t, os.MkdirAll(f.path(".git/info"), 0o755))
	return f
}

// replace puts another file in place of one, as editors do.
func (a *again) replace(name, content string) {
	a.write(name+".tmp", content)
	a.replaceName(name+".tmp", name)
}

func (a *again) replaceName(from, to string) { must(a.t, os.Rename(a.path(from), a.path(to))) }

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

// TestYoungIsNotRemembered holds that what may change within the same tick of
// the clock is not believed the second time.
func TestYoungIsNotRemembered(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "dir/b.txt", "b\n")
	f.write("new/x", "x\n")
	r := f.open()
	for _, age := range []time.Duration{-time.Hour, 0, granule / 2, time.Hour} {
		r.memo.clock = func() time.Time { return fileTime(t, f.path("new/x")).Add(age) }
		_, err := r.take(t.Context(), nil)
		must(t, err)
		k := r.memo.get()
		_, folder := k.folders["new/"]
		_, content := k.files["new/x"]
		if old := age > granule; folder != old && keepsTimes(f.dir) || content != old {
			t.Errorf("at an age of %v: folder %v, file %v", age, folder, content)
		}
	}
}

// TestStartIsRemembered holds the snapshot that a Repo remembers against its
// JSON, from which another process has it.
func TestStartIsRemembered(t *testing.T) {
	f := aged(t)
	f.git("checkout", "-q", "-f", "main")
	_, _ = f.try("merge", "-q", "side") // a conflict
	f.write("new/caf\xe9", "x\n")
	f.write("attributes/.gitattributes", "* text=auto\n")
	f.write("attributes/crlf", "x\r\n")
	r := f.open()
	raw, err := r.Snapshot(t.Context(), f.run)
	must(t, err)
	got, err := r.memo.start(slices.Clone(raw))
	must(t, err)
	want, err := parseSnapshot(raw)
	must(t, err)
	if !reflect.DeepEqual(got, want) || len(got.dirty) < 5 {
		t.Errorf("it remembers %+v\nand its JSON says %+v", got, want)
	}
	f.write("new/another", "x\n")
	if _, err = r.Snapshot(t.Context(), f.run); err != nil {
		t.Fatal(err)
	}
	if got, err = r.memo.start(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of an earlier one, too: %+v, %v", got, err)
	}
}

// TestIndexIsReadAgain holds by what an index is taken for the one that was
// read: its checksum, and never without one (index.skipHash).
func TestIndexIsReadAgain(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "dir/b.txt", "b\n")
	r := f.open()
	read := func(known *gitIndex) *gitIndex {
		x, _, whole, err := r.readIndex(known)
		must(t, err)
		must(t, <-whole)
		return x
	}
	first := read(nil)
	if read(first) != first {
		t.Error("the same index is read again")
	}
	raw := slices.Clone(first.raw)
	clear(raw[len(raw)-20:])
	must(t, os.WriteFile(f.path(".git/index"), raw, 0o644))
	second := read(first)
	if second == first || read(second) == second {
		t.Error("an index without a checksum is taken for the one that was read")
	}
}

// TestLargeFolder compares a folder that is more than one piece of work.
func TestLargeFolder(t *testing.T) {
	f := newFixture(t)
	for i := range 2*maxPart + 3 {
		f.write(fmt.Sprintf("dir/f%04d", i), "x\n")
	}
	f.commit("base", "dir/sub/in", "x\n")
	f.settle()
	a := newAgain(f)
	a.same()
	a.tick()
	f.write("dir/f0001", "edited\n")
	f.write("dir/new", "x\n")
	must(t, os.Remove(f.path(fmt.Sprintf("dir/f%04d", 2*maxPart))))
	a.same()
}

// TestFoldersByPath looks at a work tree as systems do that cannot look at
// names relative to an open folder.
func TestFoldersByPath(t *testing.T) {
	f := aged(t)
	must(t, os.Symlink("new", f.path("way")))
	w := workDir{root: f.dir, dirs: &realDirs{root: f.dir, known: map[string]bool{"": true}}}
	must(t, w.begin())
	defer w.end()
	for _, folder := range []string{"", "new/", "new/deep/", "way/", "way/deep/", "edited.txt/", "none/"} {
		seen := func(open func(string) (*openDir, error)) string {
			d, err := open(folder)
			if err != nil {
				return err.Error()
			}
			defer d.close()
			var names []string
			must(t, d.list(func(n dirName) {
				st, err := d.stat(string(n.name))
				names = append(names, fmt.Sprintf("%s %d %+v %v", n.name, n.kind, st, err))
			}))
			st, err := d.stat("")
			gone, _ := d.stat("gone")
			return fmt.Sprintf("%+v %v %+v\n%s", st, err, gone, sortedLines(names))
		}
		want(t, folder, seen(w.open), seen(w.openByPath))
	}
}
