package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Purge removes every chunk of the entries or facts with these ids, and then
// every byte that earlier removals left behind: in free pages, in the full-text
// index, in the write-ahead log and in a damaged index that was moved aside.
// The Markdown has to be edited first. Files whose chunks were removed are
// read again by the next Sync. It takes time in proportion to the index. An
// index that cannot be written, and is kept in memory for now, is removed: the
// next process makes it anew.
//
// ErrBusy means that another process was reading or writing all the while;
// what it pinned may still stand in the log, so Purge has to be run again.
func (d *DB) Purge(ctx context.Context, ids ...string) error {
	err := d.with(ctx, func(h *handle) error {
		if h.info == nil {
			return d.removeFiles(ctx)
		}
		if err := removeSuffixed(d.path, asideSuffix); err != nil {
			return err
		}
		err := write(ctx, h.pool, func(c *sql.Conn) error {
			if !h.current() { // the next Sync fills it
				return forgetAll(ctx, c, d.o)
			}
			return purge(ctx, c, ids)
		})
		if err != nil {
			return err
		}
		return compact(ctx, h)
	})
	if err != nil {
		return fmt.Errorf("purging %d ids from the index: %w", len(ids), err)
	}
	return nil
}

// removeWait bounds the wait for others that have the index open.
const removeWait = 2 * time.Second

// removeFiles takes the index off the disk.
func (d *DB) removeFiles(ctx context.Context) error {
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) || d.path == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, removeWait)
	defer cancel()
	unlock, err := lockSwap(ctx, d.path+".lock", true)
	if err != nil {
		return err
	}
	defer unlock()
	return removeSuffixed(d.path, asideSuffix, "-wal", "-shm", "-journal", "")
}

func purge(ctx context.Context, c *sql.Conn, ids []string) error {
	w := newWriter(ctx, c, Options{})
	defer w.close()
	const which = `FROM chunks WHERE entry=?1 OR instr(text, 'id='||?1)>0`
	for _, id := range ids {
		w.exec(`UPDATE files SET sig=x'', hash=x'', digest=NULL WHERE id IN (SELECT file `+which+`)`, id)
		w.removeAll(`SELECT id `+which, id)
	}
	// Merging all segments is what takes removed words out of them.
	w.exec(`INSERT INTO fts(fts) VALUES('optimize')`)
	w.vectors.trim() // the vectors of earlier removals
	return w.finish(nil)
}

// forgetAll empties an index of another version, its vectors too: which of
// them are of what is purged cannot be told.
func forgetAll(ctx context.Context, c *sql.Conn, o Options) error {
	if _, err := c.ExecContext(ctx, `DROP TABLE IF EXISTS embeddings`); err != nil {
		return err
	}
	return createSchema(ctx, c, o)
}

// compact writes the file anew without its free pages, and empties the log.
func compact(ctx context.Context, h *handle) error {
	c, err := h.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "VACUUM"); err != nil {
		return asBusy(ctx, err)
	}
	var busy, log, moved int
	if err := c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
		return asBusy(ctx, err)
	}
	if busy != 0 {
		return ErrBusy
	}
	return nil
}
