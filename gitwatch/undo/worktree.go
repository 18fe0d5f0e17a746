package undo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"
)

// workTree is the top folder of a work tree.
type workTree string

func (t workTree) full(name string) string {
	return filepath.Join(string(t), filepath.FromSlash(name))
}

// inTheWay names the file that blocks a path. goes holds the paths that the plan removes.
func (t workTree) inTheWay(name string, goes map[string]bool) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(t.full(dir)); err == nil && !info.IsDir() && !goes[dir] {
			return dir
		}
	}
	if info, err := os.Lstat(t.full(name)); err != nil || !info.IsDir() {
		return ""
	}
	found := ""
	_ = filepath.WalkDir(t.full(name), func(full string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(string(t), full)
		rel = filepath.ToSlash(rel)
		if err == nil && relErr == nil && (d.IsDir() || goes[rel]) {
			return nil
		}
		found = rel
		return filepath.SkipAll
	})
	return found
}

// removeEmptied removes the empty folders of a removed file, as git does.
func (t workTree) removeEmptied(name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(t.full(dir)) != nil {
			return // it holds something else
		}
	}
}

// ErrChanged means that a file is not as it was when the plan was made.
var ErrChanged = errors.New("changed just now")

func (t workTree) unchanged(p *pathPlan) error {
	now, err := os.Lstat(t.full(p.path))
	was := p.now.Info
	switch {
	case was == nil && (safefile.IsAbsent(err) || err == nil && now.IsDir()):
		return nil
	case was != nil && err == nil && os.SameFile(was, now) && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()):
		return nil
	}
	return fmt.Errorf("%s %w", p.path, ErrChanged)
}

// removeEmpty removes a folder that holds only folders.
func removeEmpty(name string) {
	var dirs []string
	_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir) // a folder that holds a file stays, and the next step fails on it
	}
}

// moveInPlace moves a file to its name in one step, and creates the folders of that name.
func moveInPlace(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.Rename(from, to); err == nil {
		return nil
	}
	// It may be on another file system.
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	near := filepath.Join(filepath.Dir(to), ".agentflow-undo.tmp")
	_ = os.Remove(near) // left by an undo that was killed
	if err := copyFile(from, near, info); err != nil {
		return err
	}
	if err := os.Rename(near, to); err != nil {
		return errors.Join(err, os.Remove(near))
	}
	return nil
}

// copyTo makes a hard link to a file or, if that fails, a copy.
func copyTo(from, to string, f gitwatch.WorkFile) error {
	if f.Mode != git.ModeLink && os.Link(from, to) == nil {
		return nil
	}
	return copyFile(from, to, f.Info)
}

// copyFile copies a link, or a file without holding it in memory.
func copyFile(from, to string, info fs.FileInfo) error {
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chmod(to, info.Mode().Perm()))
}
