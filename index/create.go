package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// create makes a new index where there is none or an empty file; the caller
// holds the swap lock. Path "" makes one in memory.
func create(ctx context.Context, path string, o Options) (*handle, error) {
	if path != "" {
		if err := createFile(path); err != nil {
			return nil, err
		}
	}
	pool, err := newPool(path, locked)
	if err != nil {
		return nil, err
	}
	h := &handle{pool: pool}
	if err := h.fill(ctx, path, o); err != nil {
		return nil, errors.Join(err, h.close())
	}
	if path == "" {
		return h, nil
	}
	return h, h.reconnect(path)
}

// createFile gives a new file its mode before SQLite opens it. A file that is
// there is not opened here: closing it would drop SQLite's locks on it.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (h *handle) fill(ctx context.Context, path string, o Options) (err error) {
	if path != "" {
		mode := "wal"
		if isNetwork(filepath.Dir(path)) {
			mode = "delete" // WAL needs memory shared between the processes
		}
		if _, err := h.pool.ExecContext(ctx, "PRAGMA journal_mode="+mode); err != nil {
			return err
		}
	}
	err = write(ctx, h.pool, func(c *sql.Conn) error { return createSchema(ctx, c, o) })
	h.state = Current
	if err == nil && path != "" {
		h.info, err = os.Stat(path)
	}
	return err
}

// asideSuffix marks a damaged index that was kept. There is at most one.
const asideSuffix = ".damaged"

// moveAside renames a damaged index; the caller holds the swap lock. Open
// handles keep the moved file: SQLite sees that it moved and leaves the WAL
// of the new one alone. Stopped half-way, the rest of the old WAL is dropped
// by SQLite when it opens an empty file.
func moveAside(path string) error {
	if err := os.Rename(path, path+asideSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errStuck, err)
	}
	for _, s := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", errStuck, err)
		}
	}
	return nil
}
