package sqlite

import (
	"agentflow/index/store"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

type probe struct {
	empty    bool  // no file, no bytes, or a database without tables
	err      error // the damage found while reading
	appID    int
	version  int
	identity string
}

// decide names the state of a probed file, and explains in words why it is not
// Current. It is the only place that decides this.
func decide(p probe, identity string) (store.State, string) {
	switch {
	case p.empty:
		return store.Absent, "there was none"
	case p.err != nil:
		return store.Damaged, "it was damaged (" + p.err.Error() + ")"
	case p.appID != appID:
		return store.Damaged, "the file was not an index of agentflow"
	case p.version > SchemaVersion:
		return store.Newer, "it was written by a newer version"
	case p.version < SchemaVersion:
		return store.Stale, "it was written by an older version"
	case p.identity != identity:
		return store.Stale, "texts are cut differently now"
	}
	return store.Current, ""
}

// inspect probes an index file without changing it. Damaged contents are part
// of the probe; an error means that the file could not be probed.
func inspect(ctx context.Context, path string, pool *sql.DB) (os.FileInfo, probe, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil, probe{empty: true}, nil
	}
	if err != nil {
		return nil, probe{}, err
	}
	var p probe
	err = read(ctx, pool, func(c *sql.Conn) error {
		var err error
		p, err = look(ctx, c)
		return err
	})
	if isDamage(err) || errors.Is(err, sql.ErrNoRows) {
		p.err, err = err, nil
	}
	return info, p, err
}

// look reads the data that decide needs from an open database.
func look(ctx context.Context, c *sql.Conn) (p probe, err error) {
	var tables, ours int
	err = c.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name IN ('meta','files','chunks','df','fts','pending','blocks','embeddings')), 0),
		(SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version) FROM sqlite_schema WHERE type='table'`).
		Scan(&tables, &ours, &p.appID, &p.version)
	if err != nil || tables == 0 {
		return probe{empty: err == nil}, err
	}
	if p.appID != appID || p.version != SchemaVersion {
		return p, nil
	}
	if ours != 8 {
		return p, store.ErrDamaged
	}
	return p, c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='identity'`).Scan(&p.identity)
}

// create makes a new index if there is no file or an empty one. The caller
// holds the swap lock. Path "" makes one in memory.
func (s *Store) create(ctx context.Context, path string) (*handle, error) {
	if path != "" {
		if err := createFile(path); err != nil {
			return nil, err
		}
	}
	pool, err := newPool(path, locked)
	if err != nil {
		return nil, err
	}
	h := &handle{Store: s, pool: pool}
	if err := h.begin(ctx, path); err != nil {
		return nil, errors.Join(err, h.close())
	}
	if path == "" {
		return h, nil
	}
	return h, h.reconnect(path)
}

// createFile creates a new file with the right mode before SQLite opens it. It
// does not open an existing file: closing it would drop SQLite's locks on it.
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

// begin creates the tables of a new file.
func (h *handle) begin(ctx context.Context, path string) (err error) {
	if path != "" {
		mode := "wal"
		if isNetwork(filepath.Dir(path)) {
			mode = "delete" // WAL needs memory shared between the processes
		}
		if _, err := h.pool.ExecContext(ctx, "PRAGMA journal_mode="+mode); err != nil {
			return err
		}
	}
	err = write(ctx, h.pool, func(c *sql.Conn) error { return createSchema(ctx, c, h.o) })
	h.state = store.Current
	if err == nil && path != "" {
		h.info, err = os.Stat(path)
	}
	return err
}

// asideSuffix marks a damaged index that was kept. There is at most one.
const asideSuffix = ".damaged"

// moveAside renames a damaged index. The caller holds the swap lock. Open
// handles keep the moved file: SQLite notices that it was moved and does not
// touch the WAL of the new file. If moveAside is interrupted half-way, SQLite
// drops the rest of the old WAL when it opens an empty file.
func moveAside(path string) error {
	if err := os.Rename(path, path+asideSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errStuck, err)
	}
	if err := removeSuffixed(path, "-wal", "-shm", "-journal"); err != nil {
		return fmt.Errorf("%w: %w", errStuck, err)
	}
	return nil
}

// removeSuffixed removes those files of an index that exist, in this order.
func removeSuffixed(path string, suffixes ...string) error {
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
