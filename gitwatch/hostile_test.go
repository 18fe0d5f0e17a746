package gitwatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/internal/scan"
	"agentflow/internal/testing/gittest"
)

// TestBlankAttributeLines checks lines that some programs treat as blank. Git separates words only
// at spaces, tabs and line ends.
func TestBlankAttributeLines(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\r\n", ".gitattributes", "\r\n \r\r\n\f\n\v\n\u00a0\n\t\n*.txt\ttext\r\n")
	set := f.during(func() { f.Write("a.txt", "b\r\n") })
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M a.txt +1 -1")
}

// TestRulesThatAreNoFiles puts something other than a file in the place of rules. It is neither
// followed nor waited for.
func TestRulesThatAreNoFiles(t *testing.T) {
	for _, kind := range []string{"link to a device", "pipe", "link to a pipe", "link to rules", "folder"} {
		t.Run(kind, func(t *testing.T) {
			if runtime.GOOS == "windows" && kind != "folder" {
				t.Skip("no links and pipes there")
			}
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\r\n", "sub/b", "b\n")
			f.Write("rules", "* text\n")
			gittest.Must(t, mkfifo(f.Path("pipe")))
			for _, dir := range []string{"", "sub/"} {
				for _, name := range []string{dir + ".gitattributes", dir + ".gitignore"} {
					gittest.Must(t, map[string]func() error{
						"link to a device": func() error { return os.Symlink("/dev/zero", f.Path(name)) },
						"pipe":             func() error { return mkfifo(f.Path(name)) },
						"link to a pipe":   func() error { return os.Symlink(f.Path("pipe"), f.Path(name)) },
						"link to rules":    func() error { return os.Symlink(f.Path("rules"), f.Path(name)) },
						"folder":           func() error { return os.Mkdir(f.Path(name), 0o755) },
					}[kind]())
				}
			}
			set := f.during(func() {
				f.Write("a.txt", "b\r\n")
				f.Write("sub/b", "c\n")
			})
			gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M a.txt +1 -1\nM sub/b +1 -1")
		})
	}
}

// TestGitFilesThatAreNoFiles is a git directory that somebody else laid out:
// what cannot be read is said, and nothing is waited for.
func TestGitFilesThatAreNoFiles(t *testing.T) {
	for _, name := range []string{"HEAD", "config", "index", "packed-refs", "info/exclude", "info/attributes", "refs/heads/main", "refs/heads/other", "logs/HEAD", "shallow", "commondir"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\n")
			path := filepath.Join(f.Dir, ".git", filepath.FromSlash(name))
			gittest.Must(t, os.RemoveAll(path))
			gittest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			gittest.Must(t, mkfifo(path))
			r, err := Open(t.Context(), f.Dir)
			if err != nil {
				return
			}
			if raw, err := r.Snapshot(t.Context(), f.Run, time.Time{}, nil); err == nil {
				r.Compare(t.Context(), raw, Evidence{Dir: f.Run})
			}
		})
	}
}

// brokenContext panics when it is asked for its error.
type brokenContext struct{ context.Context }

func (brokenContext) Err() error { panic("out of order") }

func (brokenContext) Deadline() (time.Time, bool) { panic("out of order") }

// TestAPanicIsCouldNotRead goes through every door with a part that breaks,
// in the caller's goroutine or in one of those that compare.
func TestAPanicIsCouldNotRead(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	r := f.open()
	raw, err := r.Snapshot(t.Context(), f.Run, time.Time{}, nil)
	gittest.Must(t, err)
	broken := brokenContext{t.Context()}
	other := newFixture(t) // which git is asked about
	other.Git("config", "extensions.unknown", "true")
	doors := map[string]func() error{
		"Open":     func() error { _, err := Open(broken, other.Dir); return err },
		"Snapshot": func() error { _, err := r.Snapshot(broken, f.Run, time.Time{}, nil); return err },
		"Head":     func() error { _, _, err := r.Head(broken); return err },
		"Compare": func() error {
			set := r.Compare(broken, raw, Evidence{Dir: f.Run})
			if set.Changes.Unread == "" || set.Meanwhile.Unread != set.Uncommitted.Unread {
				return nil
			}
			return fmt.Errorf("%s", set.Changes.Unread)
		},
		"each": func() (err error) {
			defer func() { err = recover().(error) }()
			scan.Each(t.Context(), 9, func(int) { panic("out of order") })
			return nil
		},
	}
	for name, door := range doors {
		if err := door(); err == nil || !strings.Contains(err.Error(), "out of order") || !strings.Contains(err.Error(), ".go:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
