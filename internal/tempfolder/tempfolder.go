// Package tempfolder makes temporary folders that are removed even if the
// process is killed. Each folder is locked while its process lives, and the
// next process that makes one with the same prefix removes those with a lock
// that no process holds.
//
// Guarantees: a folder that a live process uses, that another user made, that
// has no lock, or that is younger than a minute, is not touched.
package tempfolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Folder is a temporary folder, locked until it is removed.
type Folder struct {
	Dir  string
	lock *flock.Flock
}

// lockName names the lock in each folder.
const lockName = "lock"

// newFor keeps a young folder from being a leftover. It covers the moment
// in which New has made a folder and not yet locked it.
const newFor = time.Minute

// New makes a folder in another one, or in the system's folder for temporary
// files if in is empty. It first removes the folders that killed processes left
// there. The names of such folders begin with prefix.
func New(in, prefix string) (*Folder, error) {
	if in == "" {
		in = os.TempDir()
	}
	removeLeft(filepath.Join(in, prefix+"*"))
	dir, err := os.MkdirTemp(in, prefix) // mode 0700
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	f, err := lock(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return f, nil
}

// removeLeft removes the folders that killed processes left. It ignores folders
// that cannot be removed, which the next process tries again.
func removeLeft(pattern string) {
	left, _ := filepath.Glob(pattern) // the pattern is valid
	for _, dir := range left {
		if !isOld(dir) {
			continue
		}
		if f, err := lock(dir); err == nil {
			_ = f.Remove()
		}
	}
}

// isOld reports whether dir is a folder that New made more than a minute ago:
// this user owns it and only this user may use it, and it has a lock. Other users
// who may write to the folder above could make other ones.
func isOld(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !isOwn(info) || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		return false
	}
	info, err = os.Lstat(filepath.Join(dir, lockName))
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > newFor
}

var errHeld = errors.New("another process holds the lock of a temporary folder")

func lock(dir string) (*Folder, error) {
	path := filepath.Join(dir, lockName)
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err == nil && (!ok || !isAt(l, path)) {
		err = errHeld
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Folder{dir, l}, nil
}

// isAt reports whether the locked file is the one at path. Another process may
// have removed it with its folder.
func isAt(l *flock.Flock, path string) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(locked, now)
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.Dir}, parts...)...)
}

// Remove removes the folder while it is locked, so that no process takes it for
// a leftover. On a system that cannot remove open files, it removes the folder
// after the lock is released.
func (f *Folder) Remove() error {
	err := os.RemoveAll(f.Dir)
	if released := f.lock.Close(); released != nil || err == nil {
		return released
	}
	return os.RemoveAll(f.Dir)
}
