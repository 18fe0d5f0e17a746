package store

import (
	"context"
	"errors"
)

// ErrBusy means that somebody else held the write lock for as long as the context
// allowed. Reading still works, and answers from what was written before.
var ErrBusy = errors.New("another process is writing the index")

// ErrDamaged means that what a store holds contradicts itself.
var ErrDamaged = errors.New("the index contradicts itself")

// ErrVectors means that vectors do not agree with the documents. They can be made
// anew from the cached ones.
var ErrVectors = errors.New("the vectors contradict the texts")

// ErrUnwritable means that nothing can be written at this place, while what is
// there may be as it should.
var ErrUnwritable = errors.New("the index cannot be written")

// Store is an index in its place. Its methods may be called from any goroutine.
type Store interface {
	// With runs op on the index as it is now. An index that was replaced meanwhile
	// is opened anew; one that op finds damaged (ErrDamaged, ErrVectors) is
	// replaced, and op runs once more, on another Handle.
	With(ctx context.Context, op func(Handle) error) error
	// Purge removes the documents of these entries and facts, and every byte that
	// earlier removals left behind. It takes time in proportion to the index.
	Purge(ctx context.Context, ids []string) error
	// InMemory says whether the index is kept in memory, for this process alone.
	InMemory() bool
	// Close ends all use; it waits for calls in progress.
	Close() error
}

// Handle is one index as it was found.
type Handle interface {
	// State says what it is to this program, and in words why when it is not Current.
	State() (State, string)
	// View runs f in one transaction that reads. What f returns, or the view's
	// error, is returned.
	View(ctx context.Context, f func(View) error) error
	// Update runs f in one transaction that writes. Nobody else writes meanwhile.
	Update(ctx context.Context, f func(Update) error) error
	// Anew empties the tables and runs f, in one transaction: until it has ended,
	// and when it is cut short, the index stands as it was. Unless always is set
	// nothing is done where the tables are current by then, and done is false.
	Anew(ctx context.Context, always bool, f func(Update) error) (done bool, err error)
	// Tidy gives back space that removals left, where that is worth it.
	Tidy(ctx context.Context)
	// Place says where the index is kept, for people, and how many bytes it takes;
	// 0 when it is in memory or not known.
	Place(context.Context) (where string, bytes int64)
}

// State says what an index is to this program.
type State int

// The states of an index.
const (
	Absent  State = iota // none, or one that nothing was written to
	Current              // ours, of this version
	Stale                // written by an older version, or with other settings
	Newer                // written by a newer version
	Damaged              // unreadable, or not an index
)

func (s State) String() string {
	return [...]string{"absent", "current", "stale", "newer", "damaged"}[s]
}
