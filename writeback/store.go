package writeback

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback/internal/journal"
)

// Options set where memory is and how long its writer waits.
type Options struct {
	Memory   string                      // the folder of Markdown files; its parent is created too
	State    string                      // log, lock, checkpoint and run folders
	Fallback string                      // takes the log when State cannot be written; empty: none
	Now      func() time.Time            // nil: time.Now
	Rand     io.Reader                   // for new ids; nil: crypto/rand
	LockWait time.Duration               // how long an append waits for the lock; 0: 10 s
	EditWait time.Duration               // how long an editing command waits; 0: 500 ms, at most LockWait
	Command  string                      // the command that this process runs, shown to processes that wait for its lock
	Same     func(a, b memory.Fact) bool // reports, for Remember, whether two facts say the same; it must be false if their Gists differ; nil: it compares the Gists

	// Holding returns a function that reports whether a file, by its name below Memory, may hold
	// one of these names. It may err only by returning true. Nil: all files may.
	Holding func(ctx context.Context, names ...digest.Name) func(file string) bool

	// Untrusted reports whether a file below Memory came with the repository and was not accepted.
	// Such files are neither read nor written, and do not count as missing. Nil: none.
	Untrusted func(file string) bool

	sys       journal.System // nil: the operating journal.System's
	rotateAt  int64          // 0: rotateAt
	mostTaken int64          // 0: MaxTaken
}

// Store writes one repository's memory. Its methods may be called from
// several goroutines and processes at once.
type Store struct {
	*Options
	Folder  Folder
	Archive Archive
	logs    logs
}

// Open returns a Store. It touches no file.
func Open(o Options) (*Store, error) {
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
		o.EditWait = min(o.LockWait, editWait)
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
	if o.mostTaken == 0 {
		o.mostTaken = MaxTaken
	}
	if o.rotateAt == 0 {
		o.rotateAt = rotateAt
	}
	if o.sys == nil {
		o.sys = journal.Disk{}
	}
	return newStore(&o), nil
}

func newStore(o *Options) *Store {
	return &Store{Options: o, Folder: Folder{o}, Archive: Archive{o}, logs: logsOf(o)}
}

// WithLockWait returns a Store of the same memory whose appends wait for the lock up to wait.
func (s *Store) WithLockWait(wait time.Duration) *Store {
	o := *s.Options
	o.LockWait = wait
	return newStore(&o)
}

// Ref names an entry or fact.
type Ref struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	File  string `json:"file"` // relative to the memory folder, '/' separated
}

func sortRefs(refs []Ref) {
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.ID, b.ID))
	})
}

// ErrLocked is matched, with errors.Is, by the error of an editing command that found the lock
// taken. errors.As with a *filelock.HeldError gives its holder.
var ErrLocked = errors.New("memory is locked")

// ErrNotFound is matched when no entry or fact has the id.
var ErrNotFound = errors.New("no such entry or fact")

// ErrForgotten is matched when an entry was refused because it was forgotten, or cannot be restored
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
