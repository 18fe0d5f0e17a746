package contents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version changes with the tables, and with the stems that Of finds in a text.
// A file of another version is replaced.
const version = 2

// schema creates the tables. The catalog determines which rows the other tables
// must have. The id of a bucket is the id of its piece, shifted by maxBits,
// plus the number of the bucket.
var schema = fmt.Sprintf(`CREATE TABLE catalog(id INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE names(id INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE stats(id INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE buckets(id INTEGER PRIMARY KEY, data BLOB);
PRAGMA user_version=%d`, version)

const (
	mayWrite = "?_pragma=busy_timeout(10000)&_pragma=synchronous(normal)"
	mayRead  = "?mode=ro&_pragma=busy_timeout(20)&_pragma=query_only(1)"
)

// connect opens the file at path, and creates it only with mayWrite.
func connect(path, how string) (*sql.DB, error) {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return sql.Open("sqlite", "file:"+path+how)
}

// checkVersion returns an error if the file does not have this version.
func checkVersion(ctx context.Context, c *sql.Conn) error {
	var v int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	if v != version {
		return fmt.Errorf("%w: it is of version %d", errDamaged, v)
	}
	return nil
}

// catalogRow is the id of the only row of catalog.
const catalogRow = 1

// catalog returns the rows of all pieces, oldest first. A new file has none.
func catalog(ctx context.Context, c *sql.Conn) (list []pieceRow, err error) {
	err = blobs(ctx, c, "catalog", []int64{catalogRow}, func(_ int64, data []byte) (err error) {
		list, err = catalogOf(data)
		return err
	})
	return list, err
}

// blobs calls f with the bytes of rows of a table, which are valid until f
// returns. A missing row or a wrong checksum is an error.
func blobs(ctx context.Context, c *sql.Conn, table string, ids []int64, f func(id int64, data []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := c.QueryContext(ctx, "SELECT id, data FROM "+table+" WHERE id IN ("+idList(ids)+") ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close()
	found := 0
	for ; rows.Next(); found++ {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		b, err := unseal(id, data)
		if err == nil {
			err = f(id, b)
		}
		if err != nil {
			return fmt.Errorf("row %d of %s: %w", id, table, err)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if found != len(ids) {
		return fmt.Errorf("%w: %s has %d of %d rows", errDamaged, table, found, len(ids))
	}
	return nil
}

// idList formats ids for a SQL IN list.
func idList(ids []int64) string {
	var b []byte
	for _, id := range ids {
		b = append(strconv.AppendInt(b, id, 10), ',')
	}
	return strings.TrimSuffix(string(b), ",")
}

// inTransaction runs f between BEGIN, of the given kind, and COMMIT.
func inTransaction(ctx context.Context, c *sql.Conn, kind string, f func() error) error {
	_, err := c.ExecContext(ctx, "BEGIN "+kind)
	if err == nil {
		err = f()
	}
	if err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err != nil { // after BEGIN too: the driver may have begun a transaction and still return the error of ctx. Without a transaction ROLLBACK fails harmlessly
		_, _ = c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}

// Damaged reports whether an error of Find means that the file is not as Update
// wrote it. After Remove, the next Update builds it again.
func Damaged(err error) bool {
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR: // SQLITE_ERROR: a table is missing
			return true
		}
	}
	return errors.Is(err, errDamaged)
}

// isUnready reports whether a reader's error means that the file cannot be read
// for now: a writer is just creating or closing it, or was killed right after
// creating it and left a rollback journal, which only a writer can replay.
func isUnready(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	code := se.Code() & 0xff
	return code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_BUSY
}

// removeFiles removes the file at path and SQLite's files next to it.
func removeFiles(path string) (err error) {
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if e := os.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
