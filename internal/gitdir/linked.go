package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/safefile"
)

// Named returns the path that git records for the linked work tree called name,
// whether or not it still exists.
func Named(commonDir, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q is no name of a work tree", name)
	}
	text, err := safefile.Read(filepath.Join(commonDir, "worktrees", name, "gitdir"), safefile.AnyLink, maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("work tree %s is gone", name)
	}
	path := filepath.FromSlash(strings.TrimRight(string(text), "\r\n"))
	if err != nil || filepath.Base(path) != ".git" {
		return "", errors.Join(fmt.Errorf("git does not say where work tree %s is", name), err)
	}
	if path = filepath.Dir(path); !filepath.IsAbs(path) { // worktree.useRelativePaths
		path = filepath.Join(commonDir, "worktrees", name, path)
	}
	return path, nil
}

// HasLeft reports whether a work tree of a common directory is no longer at a
// path. It reports false for a .git there that leads nowhere, because that may
// belong to the work tree.
func HasLeft(commonDir, workTree string) bool {
	if _, err := os.Lstat(filepath.Join(workTree, ".git")); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	there, err := Of(workTree)
	if err != nil {
		return false
	}
	a, err1 := os.Stat(there.Common)
	b, err2 := os.Stat(commonDir)
	return err1 == nil && err2 == nil && !os.SameFile(a, b)
}

// MovedTo returns the path to which git moved a linked work tree, or "" if it
// is unknown. Git names a work tree by its first path, and records the new path
// when it moves the work tree.
func MovedTo(commonDir, workTree string) string {
	name := filepath.Base(workTree)
	path, err := Named(commonDir, name)
	if err != nil {
		return ""
	}
	made, err1 := os.Stat(filepath.Join(commonDir, "worktrees", name, "commondir"))
	placed, err2 := os.Stat(filepath.Join(commonDir, "worktrees", name, "gitdir"))
	if err1 != nil || err2 != nil || !placed.ModTime().After(made.ModTime()) {
		return "" // another work tree with the same name
	}
	if _, err := os.Stat(filepath.Join(path, ".git")); err != nil {
		return ""
	}
	return path
}
