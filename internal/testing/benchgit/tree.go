//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// tree is a repository with a work tree that git itself has written, like a
// clone.
type tree struct {
	dir       string
	files     int
	perFolder int
	dirty     int // files that differ from HEAD
	history   history
}

// How many files are edited and untracked in a changed tree.
const (
	edited    = 1000
	untracked = 5000
)

// prepare makes the tree unless it exists.
func (t tree) prepare() error {
	if _, err := os.Stat(t.dir); err == nil {
		return nil
	}
	seed, making := t, t
	seed.dir, making.dir = t.dir+".seed", t.dir+".making"
	if err := cmp.Or(os.RemoveAll(seed.dir), os.RemoveAll(making.dir), os.MkdirAll(seed.dir, 0o755)); err != nil {
		return err
	}
	if err := cmp.Or(seed.git("init", "-q", "-b", "main"), seed.write()); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-qm", "base"}, {"tag", "base"}, {"gc", "-q"}, {"clone", "-q", "--no-local", seed.dir, making.dir}} {
		if err := seed.git(args...); err != nil {
			return err
		}
	}
	return cmp.Or(os.RemoveAll(seed.dir), os.Rename(making.dir, t.dir), t.age(), histories[t.history.name](t, t.history.n))
}

// name returns the path of a file; the files of a folder have consecutive
// numbers.
func (t tree) name(i int) string {
	folder := i / t.perFolder
	return filepath.Join(t.dir, fmt.Sprintf("d%d", folder/13), fmt.Sprintf("e%d", folder%13), fmt.Sprintf("file%d.go", i))
}

func (t tree) write() error {
	for i := range t.files {
		if err := write(t.name(i), "package p%d\n", i); err != nil {
			return err
		}
	}
	return nil
}

func write(name, format string, args ...any) error {
	return cmp.Or(ctx.Err(), os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, fmt.Appendf(nil, format, args...), 0o644))
}

// age sets the times of all files and folders to an hour ago.
func (t tree) age() error {
	past := time.Now().Add(-time.Hour)
	return filepath.WalkDir(t.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return cmp.Or(err, ctx.Err(), os.Chtimes(path, past, past))
	})
}

// become reverts all edits or makes them, and waits until the clock has
// advanced, so that no entry is racy.
func (t *tree) become(state string) error {
	err := cmp.Or(t.git("checkout", "-q", "-f", "-B", "main", "base"), t.git("clean", "-qfdx"),
		os.RemoveAll(filepath.Join(t.dir, ".agentflow")), os.RemoveAll(filepath.Join(t.dir, ".git", "agentflow")))
	t.dirty = 0
	if state == "changed" {
		t.dirty = edited + untracked
		for i := range edited {
			err = cmp.Or(err, write(t.name(i*(t.files/edited)), "package changed%d\n", i))
		}
		for i := range untracked {
			folder := filepath.Dir(t.name(i * (t.files / untracked)))
			err = cmp.Or(err, write(filepath.Join(folder, fmt.Sprintf("new%d.go", i)), "package fresh%d\n", i))
		}
	}
	time.Sleep(2100 * time.Millisecond)
	return cmp.Or(err, t.git("status", "--short"))
}

// rewriteIndex rewrites the index file, with another checksum.
func (t tree) rewriteIndex() error {
	file := "d0/e0/file1.go" // which become does not edit
	return cmp.Or(t.git("commit", "-q", "--allow-empty", "-m", "empty"), t.git("update-index", "--chmod=+x", file),
		t.git("update-index", "--chmod=-x", file), t.git("status", "--short"))
}

func (t tree) git(args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = t.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}
