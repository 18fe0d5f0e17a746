package store

import (
	"context"
	"errors"
)

// ErrBusy means that another process held the write lock for as long as the
// context allowed. Reading still works, and answers from the last finished
// write.
var ErrBusy = errors.New("another process is writing the index")

// ErrDamaged means that the contents of a store contradict each other.
var ErrDamaged = errors.New("the index contradicts itself")

// ErrVectors means that vectors contradict the documents. They can be rebuilt
// from the cached ones.
var ErrVectors = errors.New("the vectors contradict the texts")

// ErrUnwritable means that the index cannot be written at this place. The
// existing contents may be intact.
var ErrUnwritable = errors.New("the index cannot be written")

// Store is an index at its place. Its methods may be called from any goroutine.
type Store interface {
	// With runs op on the current index. An index that was replaced since is
	// opened again. An index that op finds damaged (ErrDamaged, ErrVectors) is
	// replaced, and op runs again with another Handle.
	With(ctx context.Context, op func(Handle) error) error
	// Purge removes the documents of these entries and facts, and every byte
	// that earlier removals left behind. The time is proportional to the size
	// of the index.
	Purge(ctx context.Context, ids []string) error
	// InMemory reports whether the index is kept in memory, only for this
	// process.
	InMemory() bool
	// Close ends all use; it waits for calls in progress.
	Close() error
}

// Handle is one state of an index, which a replacement ends.
type Handle interface {
	// State returns the state of the index for this program, and explains in
	// words why it is not Current.
	State() (State, string)
	// View runs f in a read transaction. It returns the error of f or of the
	// view.
	View(ctx context.Context, f func(View) error) error
	// Update runs f in a write transaction. No other process writes meanwhile.
	Update(ctx context.Context, f func(Update) error) error
	// Anew empties the tables and runs f, in one transaction: until it ends,
	// and if it is interrupted, the old index stays. Unless always is set, Anew
	// does nothing and done is false if the tables are already current.
	Anew(ctx context.Context, always bool, f func(Update) error) (done bool, err error)
	// Tidy frees space that removals left, if that is worth it.
	Tidy(ctx context.Context)
	// InMemory reports whether the index is in memory, for this process only.
	InMemory() bool
	// Place returns the place of the index, for people, and its size in bytes,
	// or 0 if it is in memory or unknown.
	Place(context.Context) (where string, bytes int64)
}

// State is the state of an index for this program.
type State int

// The states of an index.
const (
	Absent  State = iota // no index, or an empty one
	Current              // usable, with this version
	Stale                // written by an older version, or with other settings
	Newer                // written by a newer version
	Damaged              // unreadable, or not an index
)

func (s State) String() string {
	return [...]string{"absent", "current", "stale", "newer", "damaged"}[s]
}
