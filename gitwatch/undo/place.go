package undo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"agentflow/gitwatch"
	"agentflow/gitwatch/internal/git"
)

// place moves a file to its name, whose folders are made, in one step.
func place(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.Rename(from, to); err == nil {
		return nil
	}
	// It may be another file system.
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	near := filepath.Join(filepath.Dir(to), ".agentflow-undo.tmp")
	_ = os.Remove(near) // of one that was killed
	if err := copyFile(from, near, info); err != nil {
		return err
	}
	if err := os.Rename(near, to); err != nil {
		return errors.Join(err, os.Remove(near))
	}
	return nil
}

// copyTo makes a second name for a file, or a copy where that cannot be.
func copyTo(from, to string, f gitwatch.WorkFile) error {
	if f.Mode != git.ModeLink && os.Link(from, to) == nil {
		return nil
	}
	return copyFile(from, to, f.Info)
}

func copyFile(from, to string, info fs.FileInfo) error {
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if err := copyContents(from, to, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// copyContents copies a file without holding it.
func copyContents(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
