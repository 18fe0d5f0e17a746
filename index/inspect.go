package index

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
)

// inspect looks at an index file without changing it. What is wrong with the
// contents is part of the probe; an error means it could not be looked at.
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

// look reads from an open database what decide needs.
func look(ctx context.Context, c *sql.Conn) (p probe, err error) {
	var tables, ours int
	err = c.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name IN ('meta','files','chunks','df','fts','pending','blocks','embeddings')), 0) FROM sqlite_schema
		WHERE type='table'`).Scan(&tables, &ours)
	if err != nil || tables == 0 {
		return probe{empty: err == nil}, err
	}
	if err := c.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&p.appID); err != nil {
		return p, err
	}
	if err := c.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&p.version); err != nil {
		return p, err
	}
	if p.appID != appID || p.version != schemaVersion {
		return p, nil
	}
	if ours != 8 {
		return p, errDamaged
	}
	return p, c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='identity'`).Scan(&p.identity)
}
