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

// errStuck is a damaged file that could not be moved aside.
var errStuck = errors.New("the damaged index cannot be moved aside")

var errReadOnly = errors.New("opened for reading only")

// damaged says what was found to contradict itself.
func damaged(err error) error { return fmt.Errorf("%w: %w", store.ErrDamaged, err) }

// code is SQLite's primary result code of err, 0 when it has none.
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

// isUnwritable says whether err means that this process cannot keep an index
// at this place, rather than that something is wrong with the index.
func isUnwritable(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH,
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR: // a full disk is either, by what SQLite wanted to write
		return true
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, errReadOnly) || errors.Is(err, errStuck)
}

// unwritable is store.ErrUnwritable in the words of its cause.
type unwritable struct{ error }

func (u unwritable) Is(target error) bool { return target == store.ErrUnwritable }
func (u unwritable) Unwrap() error        { return u.error }

// told makes an error one that a store returns.
func told(err error) error {
	if err != nil && isUnwritable(err) {
		return unwritable{err}
	}
	return err
}

// asBusy makes a wait for the write lock that ended a store.ErrBusy.
func asBusy(ctx context.Context, err error) error {
	if c := code(err); c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED {
		return errors.Join(store.ErrBusy, err)
	}
	if ctx.Err() != nil {
		return errors.Join(store.ErrBusy, ctx.Err())
	}
	return err
}
