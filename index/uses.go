package index

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Use is how often something stood in a prompt.
type Use struct {
	Count int
	Last  time.Time // whole seconds
}

// Used counts what was put in front of a prompt at a time: ids of facts and
// entries, each once. The counts are statistics and decide nothing. They
// outlive a Sync and a Rebuild, but nothing has them when the index is deleted
// or damaged. ErrBusy means that the write lock was not free in time.
func (d *DB) Used(ctx context.Context, ids []string, when time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	err := d.with(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return write(ctx, h.pool, func(c *sql.Conn) error {
			for _, id := range ids {
				if _, err := c.ExecContext(ctx, `INSERT INTO uses VALUES(?1, 1, ?2)
					ON CONFLICT(id) DO UPDATE SET count=count+1, last=max(last, ?2)`, id, when.Unix()); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("counting what was used: %w", err)
	}
	return nil
}

// Uses returns the counts by id.
func (d *DB) Uses(ctx context.Context) (map[string]Use, error) {
	uses := map[string]Use{}
	err := d.with(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			rows, err := c.QueryContext(ctx, `SELECT id, count, last FROM uses`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id string
				var count int
				var last int64
				if err := rows.Scan(&id, &count, &last); err != nil {
					return err
				}
				uses[id] = Use{count, time.Unix(last, 0).UTC()}
			}
			return rows.Err()
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was used: %w", err)
	}
	return uses, nil
}
