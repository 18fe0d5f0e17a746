package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/repofile"
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

// temporaryFolder is a folder for a run that has none: git and the work tree's
// snapshot need a place.
func temporaryFolder() (folder, error) {
	dir, err := os.MkdirTemp("", "agentflow-run-")
	if err != nil {
		return folder{}, fmt.Errorf("make a temporary folder for the run: %w", err)
	}
	return folder{dir: dir, temp: true}, nil
}

func lockFolder(ctx context.Context, dir string, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(dir, lockFile), filelock.Self("run", now), wait)
}

// file is the path of a file in the folder; empty where there is no folder.
func (f folder) file(name string) string {
	if f.dir == "" {
		return ""
	}
	return filepath.Join(f.dir, name)
}

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

// disk is what the executor does to its run folders, so that tests can put a
// full disk in front of any step of the real one.
type disk interface {
	atomicfile.System
	mkdir(dir string) error
	create(name string) (logFile, error) // new or emptied, for writing
	extend(name string) (logFile, error) // made where it is not there, for writing
}

type logFile interface {
	io.WriteCloser
	io.Seeker
	Sync() error
	Truncate(size int64) error
}

// realDisk makes files and folders that only their owner can read.
type realDisk struct{ atomicfile.OS }

func (realDisk) mkdir(dir string) error { return os.MkdirAll(dir, 0o700) }

func (realDisk) create(name string) (logFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
}

func (realDisk) extend(name string) (logFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
}

// reserveFile stands in a run's folder, filled with blanks, from the run's
// beginning. On a disk that has filled up meanwhile, the ending is written over
// them, which takes no new room. Without it a run that succeeded would look like
// one that was cut short.
const (
	reserveFile = "ending.json"
	reserveSize = 16 << 10 // bytes
)

// storedEnding is the content of reserveFile in the end.
type storedEnding struct {
	Ended time.Time `json:"ended"`
	End   *ending   `json:"end"`
}

// reserve makes the file.
func (r *Begun) reserve() {
	f, err := r.deps.disk.create(r.folder.file(reserveFile))
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{' '}, reserveSize))
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write the run's %s: %v", reserveFile, err))
	}
	r.reserved = f
}

// writeEnding writes how the agent ended over the reserve.
func (r *Begun) writeEnding() {
	if r.reserved == nil {
		return
	}
	stored := storedEnding{Ended: r.journal.Ended, End: r.journal.End}
	data, err := json.Marshal(stored)
	if err == nil && len(data) > reserveSize {
		short := *stored.End
		short.Remarks, short.Result = nil, nil
		stored.End = &short
		data, err = json.Marshal(stored)
	}
	if err == nil {
		_, err = r.reserved.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = r.reserved.Write(data[:min(len(data), reserveSize)])
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write how the run ended: %v", err))
	}
}

// takeEnding takes the ending from the reserve, for a run whose journal could not
// be written any more.
func (r *Begun) takeEnding() {
	var stored storedEnding
	data, err := repofile.Read(r.folder.file(reserveFile), repofile.NoLink, reserveSize)
	if err != nil || r.journal.Stage != stageBegun || json.Unmarshal(data, &stored) != nil || stored.End == nil {
		return
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = stageEnded, stored.End, stored.Ended
}
