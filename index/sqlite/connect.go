package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"agentflow/index/store"
	"agentflow/internal/safefile"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
)

// connector opens connections to one index file. It holds the swap lock,
// shared, until SQLite has opened the file and its WAL. Otherwise a process
// that moves a damaged file aside in between would leave this connection with
// the old file and the new WAL.
type connector struct {
	driver.Connector
	swap string // path of the swap lock; "" takes none
}

type access int

const (
	shared   access = iota // each connection takes the swap lock for a moment
	locked                 // the caller holds the swap lock
	readOnly               // like shared, but for reading only
)

// idleConnections limits the unused open connections: each of a few simultaneous
// searches needs two.
const idleConnections = 8

// How much of the file a connection caches, in KB. Writing gains nothing from
// more. The first search reads each page about once, and reused memory costs
// less than new memory: a whole process that searches 10,000 entries takes a
// fifth longer with 64 MB. Later searches read the same pages again.
const (
	usualCache       = 8 << 10
	firstSearchCache = 192
	searchCache      = 64 << 10
)

func keepInMemory(ctx context.Context, c *sql.Conn, kb int) error {
	_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA cache_size=-%d", kb))
	return err
}

func newPool(path string, how access) (*sql.DB, error) {
	dsn, swap := "file::memory:", ""
	if path != "" {
		dsn = uri(path)
	}
	if path != "" && how != locked {
		swap = path + ".lock"
	}
	dsn += fmt.Sprintf("?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=synchronous(normal)&_pragma=cache_size(-%d)", usualCache)
	if how == readOnly {
		dsn += "&mode=ro"
	}
	inner, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector{inner, swap})
	pool.SetMaxIdleConns(idleConnections)
	if path == "" {
		pool.SetMaxOpenConns(1) // a second connection would be a second, empty index
	}
	return pool, nil
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.swap == "" {
		return c.Connector.Connect(ctx)
	}
	unlock, err := lockSwap(ctx, c.swap, false)
	if err != nil {
		return nil, err
	}
	defer unlock()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := firstRead(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// firstRead makes SQLite open the WAL and read the header.
func firstRead(ctx context.Context, conn driver.Conn) error {
	q, ok := conn.(driver.QueryerContext)
	if !ok {
		return errors.New("the sqlite driver cannot query")
	}
	rows, err := q.QueryContext(ctx, "PRAGMA schema_version", nil)
	if err != nil {
		return err
	}
	return rows.Close()
}

// lockSwap takes the lock next to an index that controls who may replace the
// file. If no lock file can be created, no process can replace the file either,
// so a shared lock is not needed.
func lockSwap(ctx context.Context, path string, exclusive bool) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	try := l.TryRLockContext
	if exclusive {
		try = l.TryLockContext
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		// Opening a named pipe would wait for its other end.
		try = func(context.Context, time.Duration) (bool, error) {
			return false, fmt.Errorf("locking %s: %w", path, safefile.ErrNotRegular)
		}
	}
	if _, err := try(ctx, 5*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, errors.Join(store.ErrBusy, ctx.Err())
		}
		if exclusive {
			return nil, err
		}
		return func() {}, nil
	}
	return func() { _ = l.Close() }, nil
}

// uri returns path as a URI for SQLite. It escapes '?' and '#' in folder names.
func uri(path string) string {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file:" + path
}
