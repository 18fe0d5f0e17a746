package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"agentflow/index/store"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errStuck means that a damaged file could not be moved aside.
var errStuck = errors.New("the damaged index cannot be moved aside")

var errReadOnly = errors.New("opened for reading only")

// damaged wraps an error that shows that the index is damaged.
func damaged(err error) error { return fmt.Errorf("%w: %w", store.ErrDamaged, err) }

// code returns SQLite's primary result code of err, or 0 if it has none.
func code(err error) int {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code() & 0xff
	}
	return 0
}

func isDamage(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return true
	}
	return errors.Is(err, store.ErrDamaged)
}

// isUnwritable reports whether err means that this process cannot keep an index
// at this path, rather than that the index is damaged.
func isUnwritable(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH,
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR: // a full disk gives either, depending on the file that SQLite was writing
		return true
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, errReadOnly) || errors.Is(err, errStuck)
}

// unwritable is store.ErrUnwritable with the message of its cause.
type unwritable struct{ error }

func (u unwritable) Is(target error) bool { return target == store.ErrUnwritable }
func (u unwritable) Unwrap() error        { return u.error }

// storeError converts an error into the errors that a store may return.
func storeError(err error) error {
	if err != nil && isUnwritable(err) {
		return unwritable{err}
	}
	return err
}

// asBusy returns store.ErrBusy if a wait for the write lock ended.
func asBusy(ctx context.Context, err error) error {
	if c := code(err); c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED {
		return errors.Join(store.ErrBusy, err)
	}
	if ctx.Err() != nil {
		return errors.Join(store.ErrBusy, ctx.Err())
	}
	return err
}
