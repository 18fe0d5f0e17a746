package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"agentflow/memory/digest"
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
	for _, id := range ids {
		w.forget(id)
	}
	// Merging all segments is what takes removed words out of them.
	w.exec(`INSERT INTO fts(fts) VALUES('optimize')`)
	w.vectors.trim() // the vectors of earlier removals
	return w.finish(nil)
}

// forget removes the chunks that an entry or a fact stands in. The next Sync reads their
// files again.
func (w *writer) forget(id string) {
	var chunks []int64
	files := listOf[int64](w.statements, `SELECT file FROM names WHERE name=? UNION SELECT file FROM chunks WHERE entry=?`, int64(digest.ByID(id)), id)
	for _, file := range files {
		found := listOf[int64](w.statements, `SELECT id FROM chunks WHERE file=? AND entry=?`, file, id)
		for _, f := range w.factsOf(file) {
			if f.Has(id) {
				found = append(found, listOf[int64](w.statements, `SELECT id FROM chunks WHERE file=? AND start<=? AND stop>=?`, file, f.EndLine, f.StartLine)...)
			}
		}
		if len(found) > 0 {
			w.exec(`UPDATE files SET sig=x'', hash=x'', digest=NULL WHERE id=?`, file)
		}
		chunks = append(chunks, found...)
	}
	slices.Sort(chunks)
	for _, chunk := range slices.Compact(chunks) {
		w.remove(chunk)
	}
}

// factsOf are the facts of a file as the index has it; none where it has no digest.
func (w *writer) factsOf(file int64) []digest.Fact {
	var coded []byte
	if !w.row([]any{&coded}, `SELECT digest FROM files WHERE id=? AND digest IS NOT NULL`, file) {
		return nil
	}
	d, err := digest.Decode(coded)
	if err != nil {
		w.fail(fmt.Errorf("%w: %w", errDamaged, err))
		return nil
	}
	return d.Facts
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
