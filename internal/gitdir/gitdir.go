// Package gitdir finds the git directories of a work tree without running git,
// as gitrepository-layout(5) describes them.
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

// Dirs holds the git directories of a work tree, absolute and with links
// resolved.
type Dirs struct {
	Git    string // of this work tree
	Common string // shared by all work trees of the repository
	Linked string // name of a linked work tree; otherwise empty
}

// Of finds the git directories of the work tree with this top folder, which
// contains .git: a folder, or a file that names one. The error is
// fs.ErrNotExist if there is no .git.
func Of(workTree string) (Dirs, error) {
	dot := filepath.Join(workTree, ".git")
	info, err := os.Lstat(dot)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if dot, err = Resolve(dot); err == nil {
			info, err = os.Stat(dot)
		}
	}
	if err != nil {
		return Dirs{}, err
	}
	d := Dirs{Git: dot}
	if !info.IsDir() {
		if d.Git, err = readPointer(dot, "gitdir: "); err != nil {
			return Dirs{}, err
		}
	}
	return d, d.findCommon()
}

// Inside finds the git directories for a folder that is itself a git directory.
func Inside(dir string) (Dirs, error) {
	d := Dirs{Git: dir}
	return d, d.findCommon()
}

// findCommon follows the commondir file, which only the directory of a linked
// work tree has.
func (d *Dirs) findCommon() (err error) {
	d.Common, err = readPointer(filepath.Join(d.Git, "commondir"), "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Common = d.Git
	case err != nil:
		return err
	default:
		d.Linked = filepath.Base(d.Git)
	}
	return nil
}

// Is applies git's own test: HEAD exists, and objects and refs exist or a
// commondir file names their directory.
func Is(dir string) bool {
	head := filepath.Join(dir, "HEAD")
	if _, err := os.Lstat(head); err != nil {
		return false
	}
	if info, err := os.Stat(head); err == nil && !info.Mode().IsRegular() {
		return false // reading HEAD would wait forever
	}
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// Limits of git's files, in bytes: its config, and a file that names a folder.
const (
	maxGitConfig = 1 << 20
	maxPointer   = 64 << 10
)

// readPointer reads a one-line file that names a folder, relative to the folder
// of the file.
func readPointer(file, prefix string) (string, error) {
	data, err := safefile.Read(file, safefile.AnyLink, maxPointer)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || target == "" {
		return "", fmt.Errorf("reading %s: no %q line in it", file, strings.TrimSpace(prefix))
	}
	dir, err := Resolve(join(filepath.Dir(file), target))
	if err != nil {
		return "", fmt.Errorf("following %s: %w", file, err)
	}
	return dir, nil
}

func join(base, target string) string {
	target = filepath.FromSlash(target)
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(base, target)
}

// Resolve returns an absolute path with links resolved.
func Resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Real returns a path with the links of its folders resolved, as far as they
// exist. The path itself need not exist.
func Real(path string) string {
	dir, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}
