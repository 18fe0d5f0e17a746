// Package runfolder reads and writes the folder of a run: its journal, its lock and its events.
package runfolder

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
)

// lockWait limits a run's wait for the lock of its new folder: another process may just be
// checking whether it is held.
const lockWait = 2 * time.Second

// Folder is a run's folder with its lock held.
type Folder struct {
	Dir  string
	Lock *filelock.Lock
	temp bool // replaces a folder that could not be made, and is removed with the run
}

// New makes and locks the folder of a new run.
func New(ctx context.Context, d Disk, dir string, now time.Time) (Folder, error) {
	if err := d.Mkdir(dir); err != nil {
		return Folder{}, fmt.Errorf("make the run's folder %s: %w", dir, err)
	}
	lock, err := LockFolder(ctx, dir, lockWait, now)
	if err != nil {
		return Folder{}, err
	}
	return Folder{Dir: dir, Lock: lock}, nil
}

// TemporaryFolder makes a folder for a run without one: git and the work tree's snapshot need a
// place.
func TemporaryFolder() (Folder, error) {
	dir, err := os.MkdirTemp("", "agentflow-run-")
	if err != nil {
		return Folder{}, fmt.Errorf("make a temporary folder for the run: %w", err)
	}
	return Folder{Dir: dir, temp: true}, nil
}

// LockFolder locks the folder of a run for this process.
func LockFolder(ctx context.Context, dir string, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(dir, LockFile), filelock.Self("run", now), wait)
}

// File returns the path of a file in the folder, or "" if there is no folder.
func (f Folder) File(name string) string {
	if f.Dir == "" {
		return ""
	}
	return filepath.Join(f.Dir, name)
}

// Release unlocks the folder, and removes it if it is temporary.
func (f Folder) Release() error {
	if f.temp {
		return os.RemoveAll(f.Dir)
	}
	if f.Lock == nil {
		return nil
	}
	return f.Lock.Release()
}

// Live reports whether a process holds the run in dir. If the lock cannot be read, the run
// counts as live and is not changed.
func Live(dir string) bool {
	held, err := filelock.Held(filepath.Join(dir, LockFile))
	return held || err != nil
}

// Disk has the operations of the executor on its run folders, so that tests can simulate a full
// Disk at any step of the real one.
type Disk interface {
	atomicfile.System
	Mkdir(dir string) error
	Create(name string) (LogFile, error) // new or emptied, for writing
	Extend(name string) (LogFile, error) // makes the file if it is missing, for writing
}

// LogFile is an open file of a run's folder.
type LogFile interface {
	io.WriteCloser
	io.Seeker
	Sync() error
	Truncate(size int64) error
}

// RealDisk makes files and folders that only their owner can read.
type RealDisk struct{ atomicfile.OS }

// Mkdir makes a folder and those above it.
func (RealDisk) Mkdir(dir string) error { return os.MkdirAll(dir, 0o700) }

// Create opens a new or emptied file for writing.
func (RealDisk) Create(name string) (LogFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
}

// Extend opens a file for writing, and makes it if it is missing.
func (RealDisk) Extend(name string) (LogFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
}
