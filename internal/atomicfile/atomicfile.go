// Package atomicfile replaces a file's contents in one step.
//
// A reader sees the old contents or the new ones, never a mixture, and after
// Write returned the new ones survive a crash of the machine. A crash in the
// middle leaves at most a temporary file, named ".<base>.<digits>.tmp",
// beside the target, or a swap file, which RecoverSwaps looks through. What is not guaranteed: owner, ACLs and hard links of
// the old file are not carried over, and on Windows the folder cannot be
// synced.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a temporary file being written.
type File interface {
	io.WriteCloser
	Name() string
	Chmod(mode fs.FileMode) error
	Sync() error
}

// System is the part of a file system that Write needs, so that a writer's tests
// can make each step fail. OS is the real one.
type System interface {
	CreateTemp(dir, pattern string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string) error
}

// Write replaces path with data, or creates it with mode perm. An existing
// file keeps its mode; a symlink stays and its target is replaced. Anything but
// a regular file, such as a device, stays and is an error. The folder must exist.
func Write(path string, data []byte, perm fs.FileMode) error {
	return WriteTo(OS{}, path, data, perm)
}

// WriteHere is Write for our own files in a folder that somebody else may have
// made: a symlink is replaced, and its target stays.
func WriteHere(path string, data []byte, perm fs.FileMode) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("replacing %s: %w", path, err)
		}
	}
	return Write(path, data, perm)
}

// Stream is Write of what write writes. Where that fails the old contents stay.
func Stream(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return streamTo(OS{}, path, perm, write)
}

// WriteTo is Write on a given file system. A temporary file that another process removes,
// which takes it for the rest of a crash, is written again.
func WriteTo(sys System, path string, data []byte, perm fs.FileMode) (err error) {
	for range maxWrites {
		if err = streamTo(sys, path, perm, all(data)); !errors.Is(err, errSwept) {
			break
		}
	}
	return err
}

// maxWrites is how often WriteTo writes a temporary file that is removed.
const maxWrites = 5

// errSwept says that the temporary file was removed before it was renamed.
var errSwept = errors.New("its temporary file was removed")

func streamTo(sys System, path string, perm fs.FileMode, write func(io.Writer) error) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("replacing %s: not a regular file", path) // a device, replaced by root, is gone for all
		}
		perm = info.Mode().Perm()
	}
	dir := filepath.Dir(target)
	temp, err := fill(sys, dir, filepath.Base(target), perm, write)
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := sys.Rename(temp, target); err != nil {
		if _, gone := os.Lstat(temp); errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("replacing %s: %w: %w", path, errSwept, err)
		}
		return fmt.Errorf("replacing %s: %w", path, errors.Join(err, sys.Remove(temp)))
	}
	if err := sys.SyncDir(dir); err != nil {
		return fmt.Errorf("replacing %s: syncing its folder: %w", path, err)
	}
	return nil
}

// all writes data.
func all(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// fill writes the temporary file and gives its path; on an error there is
// none left.
func fill(sys System, dir, base string, perm fs.FileMode, write func(io.Writer) error) (string, error) {
	f, err := sys.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return "", err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", errors.Join(err, sys.Remove(f.Name()))
	}
	return f.Name(), nil
}

// maxLinks is how many symlinks in a row are followed, as Linux does.
const maxLinks = 40

// resolve follows symlinks at path's end, also one that points to nothing
// yet.
func resolve(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many symlinks in a row")
}

// OS is the operating system's file system.
type OS struct{}

// CreateTemp creates a new file with mode 0600, as os.CreateTemp does.
func (OS) CreateTemp(dir, pattern string) (File, error) { return os.CreateTemp(dir, pattern) }

// Rename replaces to with from.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDir makes the names in dir survive a crash of the machine, where the
// system can do that.
func (OS) SyncDir(dir string) error { return syncDir(dir) }

// Exchange swaps two files that are there, in one step. Its error matches
// errors.ErrUnsupported where the system cannot do that.
func (OS) Exchange(a, b string) error { return exchange(a, b) }
