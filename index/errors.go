package index

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrBusy is returned by Sync, Rebuild and Purge when another process held
// the write lock for as long as the context allowed. Searching still works
// and answers from the last finished sync.
var ErrBusy = errors.New("another process is writing the index")

// ErrNotReady is returned by Search when the index is of another version and
// no Sync could replace it yet.
var ErrNotReady = errors.New("the index is of another version and was not rebuilt yet")

// errDamaged is what the index finds wrong that SQLite does not.
var errDamaged = errors.New("the index contradicts itself")

// errStuck is a damaged file that could not be moved aside.
var errStuck = errors.New("the damaged index cannot be moved aside")

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
	return errors.Is(err, errDamaged)
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

// asBusy makes a wait for the write lock that ended an ErrBusy.
func asBusy(ctx context.Context, err error) error {
	if c := code(err); c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED {
		return errors.Join(ErrBusy, err)
	}
	if ctx.Err() != nil {
		return errors.Join(ErrBusy, ctx.Err())
	}
	return err
}
