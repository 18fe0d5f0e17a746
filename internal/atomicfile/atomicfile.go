// Package atomicfile replaces a file's contents in one step.
//
// A reader sees either the old or the new contents, never a mixture. After
// Write has returned, the new contents survive a crash of the machine. A crash
// during Write leaves at most a temporary file next to the target, named
// ".<base>.<digits>.tmp", or a swap file, which RecoverSwaps handles.
//
// Not guaranteed: owner, ACLs and hard links of the old file are lost, and on
// Windows the folder cannot be synced.
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

// System is the part of a file system that Write needs, so that tests can make
// each step fail. OS is the real one.
type System interface {
	CreateTemp(dir, pattern string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string) error
}

// Write replaces path with data, or creates it with mode perm. An existing file
// keeps its mode. A symlink stays and its target is replaced. If path is
// anything but a regular file, such as a device, Write returns an error and
// changes nothing. The folder must exist.
func Write(path string, data []byte, perm fs.FileMode) error {
	return WriteTo(OS{}, path, data, perm)
}

// WriteHere is Write for our own files in a folder that another user may
// control: it replaces a symlink and does not touch its target.
func WriteHere(path string, data []byte, perm fs.FileMode) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("replacing %s: %w", path, err)
		}
	}
	return Write(path, data, perm)
}

// Stream is Write with the data that write writes. If write fails, the old
// contents stay.
func Stream(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return streamTo(OS{}, path, perm, write)
}

// WriteTo is Write on a given file system. If another process removes the
// temporary file, because it takes it for the remains of a crash, WriteTo
// writes it again.
func WriteTo(sys System, path string, data []byte, perm fs.FileMode) (err error) {
	for range maxWrites {
		if err = streamTo(sys, path, perm, all(data)); !errors.Is(err, errSwept) {
			break
		}
	}
	return err
}

// maxWrites limits WriteTo's attempts to write a temporary file.
const maxWrites = 5

// errSwept means that the temporary file was removed before it was renamed.
var errSwept = errors.New("its temporary file was removed")

func streamTo(sys System, path string, perm fs.FileMode, write func(io.Writer) error) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("replacing %s: not a regular file", path) // if root replaced a device, it would be lost for all users
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

// all returns a function that writes data.
func all(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// fill writes the temporary file and returns its path. After an error there is
// no temporary file.
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

// maxLinks limits the symlinks followed in a row, like on Linux.
const maxLinks = 40

// resolve follows the symlinks at the end of a path, also one to a missing
// file.
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

// SyncDir makes the names in dir survive a crash of the machine, if the system
// supports that.
func (OS) SyncDir(dir string) error { return syncDir(dir) }

// Exchange swaps two existing files in one step. Its error matches
// errors.ErrUnsupported if the system cannot do that.
func (OS) Exchange(a, b string) error { return exchange(a, b) }
