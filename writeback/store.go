package writeback

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/options"
	"agentflow/writeback/internal/turn"
)

// Store writes one repository's memory. Its methods may be called from
// several goroutines and processes at once.
type Store struct {
	*options.Place
	Folder  folder.Folder
	Archive archive.Archive
	logs    turn.Logs
}

// Open returns a Store. It touches no file.
func Open(o Options) (*Store, error) { return open(options.Place{Options: o}) }

func open(o options.Place) (*Store, error) {
	if !filepath.IsAbs(o.Memory) || !filepath.IsAbs(o.State) {
		return nil, fmt.Errorf("opening memory: folders must be absolute, have %q and %q", o.Memory, o.State)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.LockWait == 0 {
		o.LockWait = 10 * time.Second
	}
	if o.EditWait == 0 {
		o.EditWait = min(o.LockWait, options.EditWait)
	}
	if o.Command == "" {
		o.Command = "write"
	}
	if o.Untrusted == nil {
		o.Untrusted = func(string) bool { return false }
	}
	if o.Same == nil {
		o.Same = func(a, b memory.Fact) bool { return a.Gist() == b.Gist() }
	}
	if o.Holding == nil {
		o.Holding = func(context.Context, ...digest.Name) func(string) bool { return func(string) bool { return true } }
	}
	if o.MostTaken == 0 {
		o.MostTaken = options.MaxTaken
	}
	if o.RotateAt == 0 {
		o.RotateAt = options.RotateAt
	}
	if o.Sys == nil {
		o.Sys = journal.Disk{}
	}
	return newStore(&o), nil
}

func newStore(o *options.Place) *Store {
	return &Store{Place: o, Folder: folder.Folder{Place: o}, Archive: archive.Archive{Place: o}, logs: turn.LogsOf(o)}
}

// WithLockWait returns a Store of the same memory whose appends wait for the lock up to wait.
func (s *Store) WithLockWait(wait time.Duration) *Store {
	o := *s.Place
	o.LockWait = wait
	return newStore(&o)
}

// ErrLocked matches, with errors.Is, the error of an editing command that found the lock
// taken. errors.As with a *filelock.HeldError gives its holder.
var ErrLocked = errors.New("memory is locked")

// ErrForgotten reports that an entry was refused because it was forgotten, or cannot be restored
// because it was purged.
var ErrForgotten = errors.New("it was forgotten")

// ErrUntrusted means that a file came with the repository and was not accepted.
var ErrUntrusted = errors.New("it came with the repository")

// PendingError reports that an entry is safe in the log but not yet in Markdown. The next command
// finishes it.
type PendingError struct {
	ID   string
	File string // the Markdown file for it
	Err  error  // why it is not there yet
}

// Error names the entry and why it is pending.
func (e *PendingError) Error() string {
	return fmt.Sprintf("writing entry %s to %s: %v; it is in the log and the next command finishes it", memory.ShortID(e.ID), e.File, e.Err)
}

// Unwrap returns the cause.
func (e *PendingError) Unwrap() error { return e.Err }

// locked marks a taken lock as ErrLocked.
func locked(err error) error {
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}
