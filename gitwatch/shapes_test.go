package gitwatch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/internal/scan"
	"agentflow/internal/testing/gittest"
)

// gitDirty is what the git binary says differs from HEAD: tracked paths by
// work-tree content, and untracked ones.
func (f *fixture) gitDirty() string {
	f.T.Helper()
	var paths []string
	var tracked []string
	if _, err := f.Try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
		tracked = fields(f.Git("diff", "HEAD", "--no-renames", "--name-only", "-z", "--ignore-submodules=dirty"))
	} else {
		tracked = fields(f.Git("ls-files", "-z"))
	}
	paths = append(paths, tracked...)
	for _, p := range fields(f.Git("ls-files", "-o", "-z", "--exclude-standard")) {
		if !strings.HasSuffix(p, "/") && !git.InOwnFolder(p) { // a nested repository ends in a slash
			paths = append(paths, p)
		}
	}
	return sortedLines(paths)
}

// scanned is what a look at the work tree finds, path by path.
func (f *fixture) scanned() string {
	f.T.Helper()
	r := f.open()
	o := objects.Open(f.T.Context(), r.at)
	_, head, err := o.Store.Head()
	gittest.Must(f.T, err)
	tree, err := o.TreeOf(head)
	gittest.Must(f.T, err)
	all, err := r.tree.Scan(f.T.Context(), o, tree, nil)
	gittest.Must(f.T, err)
	lines := []string{all.Unread.String(), fmt.Sprintf("hidden %q", scan.NewHidden(all.Hidden))}
	for _, d := range all.Dirty {
		lines = append(lines, fmt.Sprintf("%q %o %s %s, was %o %s, unmerged %v", d.Path, d.Now.Mode, d.Now.Hash, d.Now.Raw, d.Head.Mode, d.Head.Hash, d.Unmerged))
	}
	return sortedLines(lines)
}

func sortedLines(lines []string) string {
	seen := map[string]bool{}
	for _, l := range lines {
		seen[l] = true
	}
	return strings.Join(sortedKeys(seen), "\n")
}

func (f *fixture) ourDirty() string {
	f.T.Helper()
	s, err := f.open().takeSnapshot(f.T.Context(), nil)
	gittest.Must(f.T, err)
	if len(s.Unread) > 0 {
		f.T.Errorf("unread: %v", s.Unread)
	}
	var paths []string
	for _, d := range s.Dirty {
		paths = append(paths, string(d.Path))
	}
	return sortedLines(paths)
}

// TestDirtyAgreesWithGit holds the scan against git over many states of a
// work tree, and that of an index that only git can read against it.
func TestDirtyAgreesWithGit(t *testing.T) {
	shapes := map[string]func(f *fixture){
		"clean":    func(*fixture) {},
		"touched":  func(f *fixture) { f.Write("a.txt", "a\n") },
		"edited":   func(f *fixture) { f.Write("a.txt", "edited\n") },
		"longer":   func(f *fixture) { f.Write("a.txt", "a\na\n") },
		"deleted":  func(f *fixture) { gittest.Must(f.T, os.Remove(f.Path("a.txt"))) },
		"exec bit": func(f *fixture) { gittest.Must(f.T, os.Chmod(f.Path("a.txt"), 0o755)) },
		"exec bit not trusted": func(f *fixture) {
			f.Git("config", "core.fileMode", "false")
			gittest.Must(f.T, os.Chmod(f.Path("a.txt"), 0o755))
		},
		"file to link": func(f *fixture) {
			gittest.Must(f.T, os.Remove(f.Path("a.txt")))
			gittest.Must(f.T, os.Symlink("dir/b.txt", f.Path("a.txt")))
		},
		"file to folder": func(f *fixture) {
			gittest.Must(f.T, os.Remove(f.Path("a.txt")))
			f.Write("a.txt/inner", "x")
		},
		"folder to link": func(f *fixture) {
			gittest.Must(f.T, os.Rename(f.Path("dir"), f.Path("moved")))
			gittest.Must(f.T, os.Symlink("moved", f.Path("dir")))
		},
		"folder to file": func(f *fixture) {
			gittest.Must(f.T, os.RemoveAll(f.Path("dir")))
			f.Write("dir", "x")
		},
		"staged": func(f *fixture) { f.Write("a.txt", "b\n"); f.Git("add", "a.txt") },
		"staged then put back": func(f *fixture) {
			f.Write("a.txt", "b\n")
			f.Git("add", "a.txt")
			f.Write("a.txt", "a\n")
		},
		"staged new":      func(f *fixture) { f.Write("dir/new", "b\n"); f.Git("add", "dir/new") },
		"staged deletion": func(f *fixture) { f.Git("rm", "-q", "dir/b.txt") },
		"staged rename":   func(f *fixture) { f.Git("mv", "dir/b.txt", "c.txt") },
		"intent to add":   func(f *fixture) { f.Write("n", "b\n"); f.Git("add", "-N", "n") },
		"empty intent":    func(f *fixture) { f.Write("n", ""); f.Git("add", "-N", "n") },
		"untracked":       func(f *fixture) { f.Write("x/y/z", "b\n"); f.Write("w", "") },
		"our own folder":  func(f *fixture) { f.Write(".agentflow/memory/MEMORY.md", "x") },
		"ignored": func(f *fixture) {
			f.Write(".gitignore", "*.log\n/build/\n!keep.log\ndoc/**/tmp\n# c\n\\#odd\nsp\\ \n")
			for _, n := range []string{"x.log", "keep.log", "build/o", "dir/build/o", "doc/a/b/tmp", "doc/tmp", "#odd", "sp ", "sub/build"} {
				f.Write(n, n)
			}
		},
		"ignored below": func(f *fixture) {
			f.Write("dir/.gitignore", "*.o\n!/top.o\nsub/x\n[a-c]?.txt\n")
			for _, n := range []string{"dir/a.o", "dir/top.o", "dir/sub/top.o", "dir/sub/x", "x.o", "dir/b1.txt", "dir/d1.txt"} {
				f.Write(n, n)
			}
		},
		"rules behind links": func(f *fixture) {
			f.Write("rules", "*.log\n")
			gittest.Must(f.T, os.Symlink("rules", f.Path(".gitignore")))
			gittest.Must(f.T, os.Symlink("../rules", f.Path("dir/.gitignore")))
			gittest.Must(f.T, os.Symlink("rules", f.Path(".gitattributes")))
			f.Write("x.log", "x")
			f.Write("dir/y.log", "y")
			f.Write("a.txt", "edited\n")
		},
		"tracked though ignored": func(f *fixture) {
			f.Write(".gitignore", "a.txt\ndir\n")
			f.Write("a.txt", "changed\n")
			f.Write("dir/b.txt", "changed\n")
			f.Write("dir/new", "not seen\n")
		},
		"info/exclude and user's ignores": func(f *fixture) {
			gittest.Must(f.T, os.MkdirAll(f.Path(".git/info"), 0o755))
			f.Write(".git/info/exclude", "one\n")
			xdg := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git")
			gittest.Must(f.T, os.MkdirAll(xdg, 0o755))
			gittest.Must(f.T, os.WriteFile(filepath.Join(xdg, "ignore"), []byte("two\n"), 0o644))
			f.Write("one", "")
			f.Write("two", "")
			f.Write("three", "")
		},
		"core.excludesFile": func(f *fixture) {
			f.Write("../ex", "two\n")
			f.Git("config", "--global", "core.excludesFile", f.Path("../ex"))
			f.Write("two", "")
			f.Write("three", "")
		},
		"excludesFile behind an include": func(f *fixture) {
			f.Write("../ex", "two\n")
			f.Write("../more", "[core]\n\texcludesFile = "+f.Path("../ex")+"\n")
			f.Git("config", "--global", "include.path", f.Path("../more"))
			f.Write("two", "")
		},
		"filter by macro": func(f *fixture) {
			f.Write(".gitattributes", "[attr]up filter=up\n*.txt up\n")
			f.Git("config", "filter.up.clean", "tr A-Z a-z")
			f.Write("a.txt", "A\n")
		},
		"ident": func(f *fixture) {
			f.Write(".gitattributes", "*.txt ident\n")
			f.Commit("ident", "a.txt", "$Id$\n")
			f.Write("a.txt", "$Id: 0123 $\n")
		},
		"names of any bytes": func(f *fixture) {
			for _, n := range []string{"new\nline", "tab\t", "quote\"", "latin\xe9", "ü", "back\\slash", " lead", "-dash"} {
				f.Write(n, n)
				f.Write("dir/"+n, n)
			}
			f.Git("add", "dir")
			f.Git("commit", "-qm", "odd names")
			f.Write("dir/latin\xe9", "changed")
			f.Write("dir/new\nline", "changed")
		},
		"pipes are not files": func(f *fixture) { gittest.Must(f.T, mkfifo(f.Path("pipe"))) },
		"submodule clean": func(f *fixture) {
			f.Git("clone", "-q", f.Dir, f.Path("../other"))
			f.Git("submodule", "--quiet", "add", f.Path("../other"), "sub")
			f.Git("commit", "-qm", "sub")
			f.Write("sub/a.txt", "dirty inside\n")
		},
	}
	for _, name := range sortedKeys(shapes) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\n", "dir/b.txt", "b\n", "dir/deep/c.txt", "c\n")
			gittest.Must(t, os.Symlink("a.txt", f.Path("link")))
			f.Git("add", "link")
			f.Git("commit", "-qm", "link")
			shapes[name](f)
			gittest.Want(t, "dirty paths", f.ourDirty(), f.gitDirty())
			plain := f.scanned()
			f.settle()
			gittest.Want(t, "dirty paths of an old index", f.ourDirty(), f.gitDirty())
			f.Git("update-index", "--split-index")
			gittest.Want(t, "with a split index", f.scanned(), plain)
		})
	}
}

// settle makes the index a minute younger than all files, so that stat is enough to prove its
// entries unchanged.
func (f *fixture) settle() {
	f.T.Helper()
	later := fileTime(f.T, f.Path(".git/index")).Add(minute)
	gittest.Must(f.T, os.Chtimes(f.Path(".git/index"), later, later))
}

func TestUnborn(t *testing.T) {
	f := newFixture(t)
	f.Write("a", "a\n")
	f.Git("add", "a")
	f.Write("b", "b\n")
	gittest.Want(t, "dirty paths", f.ourDirty(), "a\nb")
	set := f.during(func() { f.Write("c", "c\n"); f.Git("add", "c"); f.Git("commit", "-qm", "first", "c") })
	gittest.Want(t, "changes", gittest.Show(set.Changes), "A c +1 -0")
	gittest.Want(t, "commits", subjectsOf(set.Commits), "first")
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "")
	gittest.Want(t, "base", set.Base, "")
	gittest.Want(t, "branch", set.Branch, "main")
}

func TestUnsupportedShapes(t *testing.T) {
	t.Run("an extension that nobody knows", func(t *testing.T) {
		f := newFixture(t)
		f.Git("config", "core.repositoryFormatVersion", "1")
		f.Git("config", "extensions.tomorrow", "true")
		wantUnsupported(t, openError(f), "the extension tomorrow")
	})
	t.Run("no git to read it", func(t *testing.T) {
		f := newFixture(t)
		gittest.Must(t, os.RemoveAll(f.Path(".git")))
		f.Git("init", "-q", "--object-format=sha256")
		t.Setenv("PATH", t.TempDir())
		wantUnsupported(t, openError(f), "SHA256 object ids")
	})
	t.Run("borrowed objects without git", func(t *testing.T) {
		f := newFixture(t)
		f.Commit("base", "a", "a")
		f.Git("clone", "-q", "--shared", ".", "../clone")
		c := f.at(f.Path("../clone"), f.Run)
		c.Write("a", "b")
		t.Setenv("PATH", t.TempDir())
		gittest.Want(t, "dirty paths", c.ourDirty(), "a")
	})
	t.Run("no git to read its index", func(t *testing.T) {
		f := newFixture(t)
		f.Commit("base", "a", "a")
		f.Git("update-index", "--split-index")
		t.Setenv("PATH", t.TempDir())
		_, err := f.open().Snapshot(t.Context(), f.Run, time.Time{}, nil)
		wantUnsupported(t, err, "a split index")
	})
	t.Run("no repository", func(t *testing.T) {
		_, err := Open(t.Context(), t.TempDir())
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
	_, err := Open(f.T.Context(), f.Dir)
	return err
}

func wantUnsupported(t *testing.T, err error, shape string) {
	t.Helper()
	var u *repo.UnsupportedError
	if !errors.As(err, &u) || u.Shape != shape || u.Err == nil {
		t.Errorf("got %v, want an UnsupportedError of %q", err, shape)
	}
}
