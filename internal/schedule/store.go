package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
)

// Store stores the past of all jobs of a repository: schedule.json in Dir, and next to it a
// folder with a lock for each job. Several processes may use it at once.
type Store struct {
	Dir    string
	Notice func(string) // called when a damaged file was replaced
}

// State is the past of jobs by name.
type State map[string]Past

// file is the content of schedule.json. The version is decoded before the rest.
type file[T any] struct {
	Version int `json:"version"`
	Jobs    T   `json:"jobs"`
}

const (
	version  = 1
	lockWait = 10 * time.Second // for another writer, which takes milliseconds
)

// Path returns the path of the file with the past.
func (s Store) Path() string { return filepath.Join(s.Dir, "schedule.json") }

// Folder returns the folder with the locks of jobs.
func (s Store) Folder() string { return filepath.Join(s.Dir, "schedule") }

const maxPast = 16 << 20

// Read returns the past of all jobs. A missing file means no past. For a damaged one it returns
// an error, and the next change replaces the file.
func (s Store) Read() (State, error) {
	data, err := safefile.Read(s.Path(), safefile.NoLink, maxPast)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("reading the past of schedules: %w", err)
	}
	state := State{}
	var f file[json.RawMessage]
	err = json.Unmarshal(data, &f)
	if err == nil && f.Version != version {
		return State{}, fmt.Errorf("reading the past of schedules in %s: it has version %d, this program reads %d", s.Path(), f.Version, version)
	}
	if err == nil && string(f.Jobs) != "null" {
		err = json.Unmarshal(f.Jobs, &state)
	}
	if err != nil {
		return State{}, damagedError{fmt.Errorf("reading the past of schedules in %s: %w", s.Path(), err)}
	}
	return state, nil
}

type damagedError struct{ error }

// change edits the past of one job atomically, also if other processes change it at the same
// time. It renames a damaged file, with a notice.
func (s Store) change(ctx context.Context, name string, edit func(*Past)) (Past, error) {
	if err := os.MkdirAll(s.Folder(), 0o700); err != nil {
		return Past{}, fmt.Errorf("keeping the past of schedules: %w", err)
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(s.Folder(), ".lock"), filelock.Self("schedule", time.Now()), lockWait)
	if err != nil {
		return Past{}, fmt.Errorf("keeping the past of schedules: %w", err)
	}
	p, err := s.changeLocked(name, edit)
	return p, errors.Join(err, lock.Release())
}

func (s Store) changeLocked(name string, edit func(*Past)) (Past, error) {
	state, err := s.Read()
	var damaged damagedError
	if errors.As(err, &damaged) {
		aside := s.Path() + ".damaged"
		err = os.Rename(s.Path(), aside)
		s.Notice(fmt.Sprintf("%v; it is replaced and the old one is in %s: missed jobs are not run, and today's cost is unknown", damaged, aside))
	}
	if err != nil {
		return Past{}, err
	}
	p := state[name]
	edit(&p)
	state[name] = p
	data, err := json.MarshalIndent(file[State]{version, state}, "", " ")
	if err != nil {
		return Past{}, fmt.Errorf("keeping the past of schedules: %w", err)
	}
	if err := atomicfile.WriteHere(s.Path(), append(data, '\n'), 0o600); err != nil {
		return Past{}, fmt.Errorf("keeping the past of schedules: %w", err)
	}
	return p, nil
}

// Begun is a run of a job that was claimed and has not ended.
type Begun struct {
	Past  Past // before this run
	store Store
	name  string
	lock  *filelock.Lock
}

// Claim acquires the right to run a job. If another process has it, the error is a
// *filelock.HeldError. Claim records an earlier run that was killed.
func (s Store) Claim(ctx context.Context, name string, now time.Time) (*Begun, error) {
	if err := os.MkdirAll(s.Folder(), 0o700); err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(s.Folder(), name+".lock"), filelock.Self("schedule "+name, now), 0)
	if err != nil {
		return nil, err
	}
	past, err := s.change(ctx, name, func(p *Past) { p.abandon() })
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return &Begun{past, s, name, lock}, nil
}

// Start notes that the job's process is about to start. If that fails the run must not start,
// because its cost would not count.
func (b *Begun) Start(ctx context.Context, start Start) error {
	_, err := b.store.change(ctx, b.name, func(p *Past) { p.begin(start) })
	return err
}

// End notes how the run ended, or why none was started, and releases the right to run.
func (b *Begun) End(ctx context.Context, o Outcome) error {
	_, err := b.store.change(ctx, b.name, func(p *Past) { p.end(o) })
	return errors.Join(err, b.lock.Release())
}

// Note stores an outcome of a job that was not claimed.
func (s Store) Note(ctx context.Context, name string, o Outcome) error {
	_, err := s.change(ctx, name, func(p *Past) { p.note(o) })
	return err
}

// Running reports whether a process runs the job now.
func (s Store) Running(name string) (bool, error) {
	return filelock.Held(filepath.Join(s.Folder(), name+".lock"))
}
