package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"agentflow/index/store"
	"agentflow/memory/digest"
)

// Purge removes every chunk with these ids, and the remains of earlier
// removals: in free pages, in the full-text index, in the write-ahead log and
// in a damaged index that was moved aside.
func (s *Store) Purge(ctx context.Context, ids []string) error {
	return storeError(s.with(ctx, func(h *handle) error {
		if h.info == nil {
			return s.removeFiles(ctx)
		}
		if err := removeSuffixed(s.path, asideSuffix); err != nil {
			return err
		}
		err := write(ctx, h.pool, func(c *sql.Conn) error {
			if !h.current() { // the next Sync fills it
				return forgetAll(ctx, c, s.o)
			}
			return purge(ctx, c, ids)
		})
		if err != nil {
			return err
		}
		return compact(ctx, h)
	}))
}

// removeWait limits the wait for other processes that have the index open.
const removeWait = 2 * time.Second

// removeFiles deletes the files of the index.
func (s *Store) removeFiles(ctx context.Context) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) || s.path == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, removeWait)
	defer cancel()
	unlock, err := lockSwap(ctx, s.path+".lock", true)
	if err != nil {
		return err
	}
	defer unlock()
	return removeSuffixed(s.path, asideSuffix, "-wal", "-shm", "-journal", "")
}

func purge(ctx context.Context, c *sql.Conn, ids []string) error {
	w := newWriter(ctx, c, store.Options{})
	defer w.close()
	for _, id := range ids {
		w.forget(id)
	}
	// Merging all segments removes the deleted words from them.
	w.exec(`INSERT INTO fts(fts) VALUES('optimize')`)
	w.vectors.trim() // also removes the vectors of earlier removals
	return w.Finish(store.Documents, nil)
}

// forget removes the chunks that contain an entry or a fact. The next Sync
// reads their files again.
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
	w.Remove(slices.Compact(chunks))
}

// factsOf returns the facts of a file according to its digest, or none if it
// has no digest.
func (w *writer) factsOf(file int64) []digest.Fact {
	var coded []byte
	if !w.row([]any{&coded}, `SELECT digest FROM files WHERE id=? AND digest IS NOT NULL`, file) {
		return nil
	}
	d, err := digest.Decode(coded)
	if err != nil {
		w.Fail(damaged(err))
		return nil
	}
	return d.Facts
}

// forgetAll empties an index of another version, including its vectors, because
// the vectors of the purged texts cannot be identified.
func forgetAll(ctx context.Context, c *sql.Conn, o store.Options) error {
	if _, err := c.ExecContext(ctx, `DROP TABLE IF EXISTS embeddings`); err != nil {
		return err
	}
	return createSchema(ctx, c, o)
}

// compact rewrites the file without its free pages, and empties the write-ahead
// log.
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
		return store.ErrBusy
	}
	return nil
}
