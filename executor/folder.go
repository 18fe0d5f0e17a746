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
	"agentflow/internal/safefile"
)

// lockWait is how long a run waits for the lock of its new folder: another process may just be
// checking whether it is held.
const lockWait = 2 * time.Second

// folder is a run's folder with its lock held.
type folder struct {
	dir  string
	lock *filelock.Lock
	temp bool // replaces a folder that could not be made, and is removed with the run
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

// temporaryFolder makes a folder for a run without one: git and the work tree's snapshot need a
// place.
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

// file returns the path of a file in the folder, or "" if there is no folder.
func (f folder) file(name string) string {
	if f.dir == "" {
		return ""
	}
	return filepath.Join(f.dir, name)
}

// release unlocks the folder, and removes it if it is temporary.
func (f folder) release() error {
	if f.temp {
		return os.RemoveAll(f.dir)
	}
	if f.lock == nil {
		return nil
	}
	return f.lock.Release()
}

// live reports whether a process holds the run in dir. If the lock cannot be read, the run
// counts as live and is not changed.
func live(dir string) bool {
	held, err := filelock.Held(filepath.Join(dir, lockFile))
	return held || err != nil
}

// disk has the operations of the executor on its run folders, so that tests can simulate a full
// disk at any step of the real one.
type disk interface {
	atomicfile.System
	mkdir(dir string) error
	create(name string) (logFile, error) // new or emptied, for writing
	extend(name string) (logFile, error) // makes the file if it is missing, for writing
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

// reserveFile is in a run's folder from the beginning of the run, filled with blanks. If the
// disk is full at the end, the ending overwrites the blanks, which takes no new space. Without
// it a run that succeeded would look like an interrupted one.
const (
	reserveFile = "ending.json"
	reserveSize = 16 << 10 // bytes
)

// storedEnding is the final content of reserveFile.
type storedEnding struct {
	Ended time.Time `json:"ended"`
	End   *ending   `json:"end"`
}

// reserve makes the reserve file.
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

// writeEnding writes how the agent ended into the reserve file.
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

// takeEnding reads the ending from the reserve file, if the journal could not be written at the
// end.
func (r *Begun) takeEnding() {
	var stored storedEnding
	data, err := safefile.Read(r.folder.file(reserveFile), safefile.NoLink, reserveSize)
	if err != nil || r.journal.Stage != stageBegun || json.Unmarshal(data, &stored) != nil || stored.End == nil {
		return
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = stageEnded, stored.End, stored.Ended
}
