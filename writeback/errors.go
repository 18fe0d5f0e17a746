package writeback

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"agentflow/internal/filelock"
)

// ErrLocked is matched, with errors.Is, by the error of an editing verb that
// found the lock taken; errors.As to *filelock.HeldError says by whom.
var ErrLocked = errors.New("memory is locked")

// ErrNotFound is matched when no entry or fact has the id.
var ErrNotFound = errors.New("no such entry or fact")

// ErrForgotten is matched when an entry was refused because it was
// forgotten, or cannot come back because it was purged.
var ErrForgotten = errors.New("it was forgotten")

// PendingError says that an entry is safe in the log but not yet in
// Markdown; the next command finishes it.
type PendingError struct {
	ID   string
	File string // the Markdown file it will stand in
	Err  error  // why it is not there yet
}

// Error says what waits, and why.
func (e *PendingError) Error() string {
	return fmt.Sprintf("writing entry %s to %s: %v; it is in the log and the next command finishes it", e.ID, e.File, e.Err)
}

// Unwrap gives the cause.
func (e *PendingError) Unwrap() error { return e.Err }

// locked marks a taken lock as ErrLocked.
func locked(err error) error {
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}

// absent says whether err means that there is nothing at a path: neither it
// nor, when a file stands where a folder should, anything below that.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
