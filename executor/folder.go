package executor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/filelock"
)

// lockWait is how long the lock of a run's own new folder is waited for:
// somebody may be asking whether it is held.
const lockWait = 2 * time.Second

// folder is a run's folder with its lock held.
type folder struct {
	dir  string
	lock *filelock.Lock
	temp bool // stands in for one that could not be made, and goes with the run
}

// newFolder makes and locks the folder of a new run.
func newFolder(ctx context.Context, deps Deps, id string) (folder, error) {
	dir := filepath.Join(deps.RunsDir, id)
	if err := deps.disk.mkdir(dir); err != nil {
		return folder{}, fmt.Errorf("make the run's folder %s: %w", dir, err)
	}
	lock, err := lockFolder(ctx, dir, lockWait, deps.Now())
	if err != nil {
		return folder{}, err
	}
	return folder{dir: dir, lock: lock}, nil
}

// standIn is a folder for a run that has none: git and the work tree's
// snapshot need a place.
func standIn() (folder, error) {
	dir, err := os.MkdirTemp("", "agentflow-run-")
	if err != nil {
		return folder{}, fmt.Errorf("make a temporary folder for the run: %w", err)
	}
	return folder{dir: dir, temp: true}, nil
}

func lockFolder(ctx context.Context, dir string, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(dir, lockFile), filelock.Self("run", now), wait)
}

func (f folder) file(name string) string { return filepath.Join(f.dir, name) }

// release gives the lock back, and removes a folder that only stood in.
func (f folder) release() error {
	if f.temp {
		return os.RemoveAll(f.dir)
	}
	if f.lock == nil {
		return nil
	}
	return f.lock.Release()
}

// live says whether a process holds the run in dir. A run that cannot be
// asked counts as live: it is left alone.
func live(dir string) bool {
	held, err := filelock.Held(filepath.Join(dir, lockFile))
	return held || err != nil
}
