package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// writer changes the index inside one write transaction. What it adds up in
// memory is written by finish.
//
// No statement of a writer before finish is one that SQLite guards with a
// savepoint of its own, such as an upsert: FTS5 writes out what it gathered
// at every savepoint, which made a build half as slow again.
type writer struct {
	statements
	writes int64  // transactions the index has had before this one
	chunks int64  // added less removed
	df     counts // chunks added less removed

	vectors *vectorWriter
	key     string // of the embedder that made the rows' vectors
}

func newWriter(ctx context.Context, c *sql.Conn, o Options) (w *writer, err error) {
	w = &writer{statements: newStatements(c), key: embedderKey(o), df: counts{}}
	if w.vectors, err = newVectorWriter(ctx, w.statements); err != nil {
		return nil, err
	}
	return w, c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='writes'`).Scan(&w.writes)
}

func (w *writer) file(ctx context.Context, name string) (k known, ok bool, err error) {
	err = w.row(ctx, []any{&k.id, &k.hash, &k.expires}, `SELECT id, hash, expires FROM files WHERE path=?`, name)
	if errors.Is(err, sql.ErrNoRows) {
		return k, false, nil
	}
	return k, err == nil, err
}

// noteListing notes a new listing of unchanged contents.
func (w *writer) noteListing(ctx context.Context, id int64, p piece) error {
	_, err := w.exec(ctx, `UPDATE files SET sig=? WHERE id=?`, blob(p.Sig), id)
	return err
}

func (w *writer) add(ctx context.Context, file int64, r *row) error {
	res, err := w.exec(ctx, `INSERT INTO chunks(file, key, embedding, entry, kind, heading, ns, source, ordinal, start, stop, date, zone, branch, commits,
			paths, types, tags, importance, pinned, undone, idle, sum, terms, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, file, r.key, r.embedding.hash, r.entry, r.kind, r.heading, r.ns, r.source, r.ordinal, r.start, r.stop, r.date, r.zone,
		r.branch, r.commits, r.paths, r.types, r.tags, r.importance, r.pinned, r.undone, r.idle, int64(r.sum), r.terms, r.text)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	w.count(r.terms, 1)
	if _, err = w.exec(ctx, `INSERT INTO fts(rowid, title, body, files) VALUES(?,?,?,?)`, id, r.title, r.body, r.files); err != nil {
		return err
	}
	return w.vectors.add(ctx, id, r.embedding, w.key)
}

func (w *writer) remove(ctx context.Context, id int64) error {
	var terms []byte
	if err := w.row(ctx, []any{&terms}, `SELECT terms FROM chunks WHERE id=?`, id); err != nil {
		return err
	}
	w.count(terms, -1)
	if _, err := w.exec(ctx, `DELETE FROM chunks WHERE id=?`, id); err != nil {
		return err
	}
	if _, err := w.exec(ctx, `DELETE FROM fts WHERE rowid=?`, id); err != nil {
		return err
	}
	return w.vectors.remove(ctx, id)
}

// removeAll removes the chunks whose ids a query gives.
func (w *writer) removeAll(ctx context.Context, query string, args ...any) error {
	ids, err := column[int64](ctx, w.c, query, args...)
	for _, id := range ids {
		if err == nil {
			err = w.remove(ctx, id)
		}
	}
	return err
}

// drop removes a file and its chunks.
func (w *writer) drop(ctx context.Context, name string) error {
	k, ok, err := w.file(ctx, name)
	if err != nil || !ok {
		return err
	}
	if err := w.removeAll(ctx, `SELECT id FROM chunks WHERE file=?`, k.id); err != nil {
		return err
	}
	if name == feedbackName {
		if err := w.replaceJudgements(ctx, nil); err != nil {
			return err
		}
	}
	_, err = w.c.ExecContext(ctx, `DELETE FROM files WHERE id=?`, k.id)
	return err
}

// finish writes the counts. digest is what the files look like as a whole;
// nil when that is not known.
func (w *writer) finish(ctx context.Context, digest []byte) error {
	if err := w.writeCounts(ctx); err != nil {
		return err
	}
	if err := w.vectors.finish(ctx); err != nil {
		return fmt.Errorf("writing vectors: %w", err)
	}
	_, err := w.c.ExecContext(ctx, `UPDATE meta SET value = CASE key WHEN 'chunks' THEN value+?1 WHEN 'writes' THEN value+1 ELSE ?2 END
		WHERE key IN ('chunks', 'writes', 'digest')`, w.chunks, blob(digest))
	return err
}
