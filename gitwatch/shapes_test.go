package gitwatch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gitDirty is what the git binary says differs from HEAD: tracked paths by
// work-tree content, and untracked ones.
func (f *fixture) gitDirty() string {
	f.t.Helper()
	var paths []string
	var tracked []string
	if _, err := f.try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
		tracked = fields(f.git("diff", "HEAD", "--no-renames", "--name-only", "-z", "--ignore-submodules=dirty"))
	} else {
		tracked = fields(f.git("ls-files", "-z"))
	}
	paths = append(paths, tracked...)
	for _, p := range fields(f.git("ls-files", "-o", "-z", "--exclude-standard")) {
		if !strings.HasSuffix(p, "/") && !isOwn(p) { // a nested repository ends in a slash
			paths = append(paths, p)
		}
	}
	return sortedLines(paths)
}

// bothScans are what the two ways to read a work tree say of it, path by path.
func (f *fixture) bothScans() (ours, gits string) {
	f.t.Helper()
	r := f.open()
	o := newObjects(r.store(f.t.Context()))
	_, head, err := o.store.head()
	must(f.t, err)
	tree, err := o.treeOf(head)
	must(f.t, err)
	told := func(dirty []dirtyFile, problems unreadPaths, err error) string {
		must(f.t, err)
		lines := []string{problems.String()}
		for _, d := range dirty {
			lines = append(lines, fmt.Sprintf("%q %o %s %s, was %o %s, unmerged %v", d.Path, d.Now.Mode, d.Now.Hash, d.Now.Raw, d.Head.Mode, d.Head.Hash, d.Unmerged))
		}
		return sortedLines(lines)
	}
	ours = told(r.scanTree(f.t.Context(), o, tree, nil))
	return ours, told(r.gitScan(f.t.Context(), o, tree))
}

func sortedLines(lines []string) string {
	seen := map[string]bool{}
	for _, l := range lines {
		seen[l] = true
	}
	return strings.Join(sortedKeys(seen), "\n")
}

func (f *fixture) ourDirty() string {
	f.t.Helper()
	s, err := f.open().take(f.t.Context(), nil)
	must(f.t, err)
	if len(s.Unread) > 0 {
		f.t.Errorf("unread: %v", s.Unread)
	}
	var paths []string
	for _, d := range s.Dirty {
		paths = append(paths, string(d.Path))
	}
	return sortedLines(paths)
}

// TestDirtyAgreesWithGit holds the scan against git over many states of a
// work tree, and the scan by git against it.
func TestDirtyAgreesWithGit(t *testing.T) {
	shapes := map[string]func(f *fixture){
		"clean":    func(*fixture) {},
		"touched":  func(f *fixture) { f.write("a.txt", "a\n") },
		"edited":   func(f *fixture) { f.write("a.txt", "edited\n") },
		"longer":   func(f *fixture) { f.write("a.txt", "a\na\n") },
		"deleted":  func(f *fixture) { must(f.t, os.Remove(f.path("a.txt"))) },
		"exec bit": func(f *fixture) { must(f.t, os.Chmod(f.path("a.txt"), 0o755)) },
		"exec bit not trusted": func(f *fixture) {
			f.git("config", "core.fileMode", "false")
			must(f.t, os.Chmod(f.path("a.txt"), 0o755))
		},
		"file to link": func(f *fixture) {
			must(f.t, os.Remove(f.path("a.txt")))
			must(f.t, os.Symlink("dir/b.txt", f.path("a.txt")))
		},
		"file to folder": func(f *fixture) {
			must(f.t, os.Remove(f.path("a.txt")))
			f.write("a.txt/inner", "x")
		},
		"folder to link": func(f *fixture) {
			must(f.t, os.Rename(f.path("dir"), f.path("moved")))
			must(f.t, os.Symlink("moved", f.path("dir")))
		},
		"folder to file": func(f *fixture) {
			must(f.t, os.RemoveAll(f.path("dir")))
			f.write("dir", "x")
		},
		"staged": func(f *fixture) { f.write("a.txt", "b\n"); f.git("add", "a.txt") },
		"staged then put back": func(f *fixture) {
			f.write("a.txt", "b\n")
			f.git("add", "a.txt")
			f.write("a.txt", "a\n")
		},
		"staged new":      func(f *fixture) { f.write("dir/new", "b\n"); f.git("add", "dir/new") },
		"staged deletion": func(f *fixture) { f.git("rm", "-q", "dir/b.txt") },
		"staged rename":   func(f *fixture) { f.git("mv", "dir/b.txt", "c.txt") },
		"intent to add":   func(f *fixture) { f.write("n", "b\n"); f.git("add", "-N", "n") },
		"empty intent":    func(f *fixture) { f.write("n", ""); f.git("add", "-N", "n") },
		"untracked":       func(f *fixture) { f.write("x/y/z", "b\n"); f.write("w", "") },
		"our own folder":  func(f *fixture) { f.write(".agentflow/memory/MEMORY.md", "x") },
		"ignored": func(f *fixture) {
			f.write(".gitignore", "*.log\n/build/\n!keep.log\ndoc/**/tmp\n# c\n\\#odd\nsp\\ \n")
			for _, n := range []string{"x.log", "keep.log", "build/o", "dir/build/o", "doc/a/b/tmp", "doc/tmp", "#odd", "sp ", "sub/build"} {
				f.write(n, n)
			}
		},
		"ignored below": func(f *fixture) {
			f.write("dir/.gitignore", "*.o\n!/top.o\nsub/x\n[a-c]?.txt\n")
			for _, n := range []string{"dir/a.o", "dir/top.o", "dir/sub/top.o", "dir/sub/x", "x.o", "dir/b1.txt", "dir/d1.txt"} {
				f.write(n, n)
			}
		},
		"rules behind links": func(f *fixture) {
			f.write("rules", "*.log\n")
			must(f.t, os.Symlink("rules", f.path(".gitignore")))
			must(f.t, os.Symlink("../rules", f.path("dir/.gitignore")))
			must(f.t, os.Symlink("rules", f.path(".gitattributes")))
			f.write("x.log", "x")
			f.write("dir/y.log", "y")
			f.write("a.txt", "edited\n")
		},
		"tracked though ignored": func(f *fixture) {
			f.write(".gitignore", "a.txt\ndir\n")
			f.write("a.txt", "changed\n")
			f.write("dir/b.txt", "changed\n")
			f.write("dir/new", "not seen\n")
		},
		"info/exclude and user's ignores": func(f *fixture) {
			must(f.t, os.MkdirAll(f.path(".git/info"), 0o755))
			f.write(".git/info/exclude", "one\n")
			xdg := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git")
			must(f.t, os.MkdirAll(xdg, 0o755))
			must(f.t, os.WriteFile(filepath.Join(xdg, "ignore"), []byte("two\n"), 0o644))
			f.write("one", "")
			f.write("two", "")
			f.write("three", "")
		},
		"core.excludesFile": func(f *fixture) {
			f.write("../ex", "two\n")
			f.git("config", "--global", "core.excludesFile", f.path("../ex"))
			f.write("two", "")
			f.write("three", "")
		},
		"excludesFile behind an include": func(f *fixture) {
			f.write("../ex", "two\n")
			f.write("../more", "[core]\n\texcludesFile = "+f.path("../ex")+"\n")
			f.git("config", "--global", "include.path", f.path("../more"))
			f.write("two", "")
		},
		"filter by macro": func(f *fixture) {
			f.write(".gitattributes", "[attr]up filter=up\n*.txt up\n")
			f.git("config", "filter.up.clean", "tr A-Z a-z")
			f.write("a.txt", "A\n")
		},
		"ident": func(f *fixture) {
			f.write(".gitattributes", "*.txt ident\n")
			f.commit("ident", "a.txt", "$Id$\n")
			f.write("a.txt", "$Id: 0123 $\n")
		},
		"names of any bytes": func(f *fixture) {
			for _, n := range []string{"new\nline", "tab\t", "quote\"", "latin\xe9", "ü", "back\\slash", " lead", "-dash"} {
				f.write(n, n)
				f.write("dir/"+n, n)
			}
			f.git("add", "dir")
			f.git("commit", "-qm", "odd names")
			f.write("dir/latin\xe9", "changed")
			f.write("dir/new\nline", "changed")
		},
		"pipes are not files": func(f *fixture) { must(f.t, mkfifo(f.path("pipe"))) },
		"submodule clean": func(f *fixture) {
			f.git("clone", "-q", f.dir, f.path("../other"))
			f.git("submodule", "--quiet", "add", f.path("../other"), "sub")
			f.git("commit", "-qm", "sub")
			f.write("sub/a.txt", "dirty inside\n")
		},
	}
	for _, name := range sortedKeys(shapes) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", "a.txt", "a\n", "dir/b.txt", "b\n", "dir/deep/c.txt", "c\n")
			must(t, os.Symlink("a.txt", f.path("link")))
			f.git("add", "link")
			f.git("commit", "-qm", "link")
			shapes[name](f)
			want(t, "dirty paths", f.ourDirty(), f.gitDirty())
			ours, gits := f.bothScans()
			want(t, "the scan by git", gits, ours)
			f.settle()
			want(t, "dirty paths of an old index", f.ourDirty(), f.gitDirty())
		})
	}
}

// settle makes the index a minute younger than all files, so that stat alone
// vouches for what it records.
func (f *fixture) settle() {
	f.t.Helper()
	later := fileTime(f.t, f.path(".git/index")).Add(minute)
	must(f.t, os.Chtimes(f.path(".git/index"), later, later))
}

func TestUnborn(t *testing.T) {
	f := newFixture(t)
	f.write("a", "a\n")
	f.git("add", "a")
	f.write("b", "b\n")
	want(t, "dirty paths", f.ourDirty(), "a\nb")
	set := f.during(func() { f.write("c", "c\n"); f.git("add", "c"); f.git("commit", "-qm", "first", "c") })
	want(t, "changes", show(set.Changes), "A c +1 -0")
	want(t, "commits", subjectsOf(set), "first")
	want(t, "uncommitted", show(set.Uncommitted), "")
	want(t, "base", set.Base, "")
	want(t, "branch", set.Branch, "main")
}

func TestUnsupportedShapes(t *testing.T) {
	t.Run("an extension that nobody knows", func(t *testing.T) {
		f := newFixture(t)
		f.git("config", "core.repositoryFormatVersion", "1")
		f.git("config", "extensions.tomorrow", "true")
		wantUnsupported(t, openError(f), "the extension tomorrow")
	})
	t.Run("no git to read it", func(t *testing.T) {
		f := newFixture(t)
		must(t, os.RemoveAll(f.path(".git")))
		f.git("init", "-q", "--object-format=sha256")
		t.Setenv("PATH", t.TempDir())
		wantUnsupported(t, openError(f), "SHA256 object ids")
	})
	t.Run("borrowed objects without git", func(t *testing.T) {
		f := newFixture(t)
		f.commit("base", "a", "a")
		f.git("clone", "-q", "--shared", ".", "../clone")
		c := f.at(f.path("../clone"), f.run)
		if r := c.open(); r.shape.byGit != "objects of another repository" {
			t.Errorf("got %+v", r.shape)
		}
		c.write("a", "b")
		t.Setenv("PATH", t.TempDir())
		want(t, "dirty paths", c.ourDirty(), "a")
	})
	t.Run("no git to read its index", func(t *testing.T) {
		f := newFixture(t)
		f.commit("base", "a", "a")
		f.git("update-index", "--split-index")
		t.Setenv("PATH", t.TempDir())
		_, err := f.open().Snapshot(t.Context(), f.run)
		wantUnsupported(t, err, "a split index")
	})
	t.Run("no repository", func(t *testing.T) {
		_, err := Open(t.TempDir())
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		set := NewUnreadable(err).Compare(t.Context(), nil, Evidence{})
		for _, l := range []string{set.Changes.Unread, set.Uncommitted.Unread, set.Meanwhile.Unread} {
			if !strings.Contains(l, "no such file") {
				t.Errorf("unread: %q", l)
			}
		}
	})
}

func openError(f *fixture) error {
	_, err := Open(f.dir)
	return err
}

func wantUnsupported(t *testing.T, err error, shape string) {
	t.Helper()
	var u *UnsupportedError
	if !errors.As(err, &u) || u.Shape != shape || u.Err == nil {
		t.Errorf("got %v, want an UnsupportedError of %q", err, shape)
	}
}
