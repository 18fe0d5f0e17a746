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
	c      *sql.Conn
	writes int64  // transactions the index has had before this one
	chunks int64  // added less removed
	df     counts // chunks added less removed

	vectors *vectorWriter
	key     string // of the embedder that made the rows' vectors

	findFile, addFile, setFile, signFile, listChunks, chunkTerms, addChunk, moveChunk, dropChunk, addText, dropText *sql.Stmt
}

func newWriter(ctx context.Context, c *sql.Conn, o Options) (*writer, error) {
	w := &writer{c: c, key: embedderKey(o), df: counts{}}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.findFile, `SELECT id, hash, expires FROM files WHERE path=?`},
		{&w.addFile, `INSERT INTO files(sig, hash, size, expires, included, path) VALUES(?,?,?,?,?,?)`},
		{&w.setFile, `UPDATE files SET sig=?, hash=?, size=?, expires=? WHERE id=?`},
		{&w.signFile, `UPDATE files SET sig=? WHERE id=?`},
		{&w.listChunks, `SELECT id, key, ordinal, start, stop FROM chunks WHERE file=?`},
		{&w.chunkTerms, `SELECT terms FROM chunks WHERE id=?`},
		{&w.addChunk, `INSERT INTO chunks(file, key, embedding, entry, kind, heading, ns, source, ordinal, start, stop, date, zone, branch, commits,
			paths, types, tags, importance, pinned, undone, idle, sum, terms, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`},
		{&w.moveChunk, `UPDATE chunks SET ordinal=?, start=?, stop=? WHERE id=?`},
		{&w.dropChunk, `DELETE FROM chunks WHERE id=?`},
		{&w.addText, `INSERT INTO fts(rowid, title, body, files) VALUES(?,?,?,?)`},
		{&w.dropText, `DELETE FROM fts WHERE rowid=?`},
	} {
		var err error
		if *p.stmt, err = c.PrepareContext(ctx, p.text); err != nil {
			return nil, err
		}
	}
	var err error
	if w.vectors, err = newVectorWriter(ctx, c); err != nil {
		return nil, err
	}
	return w, c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='writes'`).Scan(&w.writes)
}

func (w *writer) close() {
	w.vectors.close()
	for _, s := range []*sql.Stmt{w.findFile, w.addFile, w.setFile, w.signFile, w.listChunks, w.chunkTerms, w.addChunk, w.moveChunk, w.dropChunk,
		w.addText, w.dropText} {
		_ = s.Close()
	}
}

func (w *writer) file(ctx context.Context, name string) (k known, ok bool, err error) {
	err = w.findFile.QueryRowContext(ctx, name).Scan(&k.id, &k.hash, &k.expires)
	if errors.Is(err, sql.ErrNoRows) {
		return k, false, nil
	}
	return k, err == nil, err
}

// resign notes a new listing of unchanged contents.
func (w *writer) resign(ctx context.Context, id int64, p piece) error {
	_, err := w.signFile.ExecContext(ctx, blob(p.sig), id)
	return err
}

// uninterrupted is ctx for statements that take microseconds. The driver
// starts a goroutine for each that can be interrupted, which takes longer; so
// ctx is looked at once, before them.
func uninterrupted(ctx context.Context) (context.Context, error) {
	return context.WithoutCancel(ctx), ctx.Err()
}

func (w *writer) add(ctx context.Context, file int64, r *row) error {
	ctx, err := uninterrupted(ctx)
	if err != nil {
		return err
	}
	res, err := w.addChunk.ExecContext(ctx, file, r.key, r.embedding.hash, r.entry, r.kind, r.heading, r.ns, r.source, r.ordinal, r.start, r.stop, r.date, r.zone,
		r.branch, r.commits, r.paths, r.types, r.tags, r.importance, r.pinned, r.undone, r.idle, int64(r.sum), r.terms, r.text)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	w.count(r.terms, 1)
	if _, err = w.addText.ExecContext(ctx, id, r.title, r.body, r.files); err != nil {
		return err
	}
	return w.vectors.add(ctx, id, r.embedding, w.key)
}

func (w *writer) remove(ctx context.Context, id int64) error {
	ctx, err := uninterrupted(ctx)
	if err != nil {
		return err
	}
	var terms []byte
	if err := w.chunkTerms.QueryRowContext(ctx, id).Scan(&terms); err != nil {
		return err
	}
	w.count(terms, -1)
	if _, err := w.dropChunk.ExecContext(ctx, id); err != nil {
		return err
	}
	if _, err := w.dropText.ExecContext(ctx, id); err != nil {
		return err
	}
	return w.vectors.remove(ctx, id)
}

// drop removes a file and its chunks.
func (w *writer) drop(ctx context.Context, name string) error {
	k, ok, err := w.file(ctx, name)
	if err != nil || !ok {
		return err
	}
	ids, err := column[int64](ctx, w.c, `SELECT id FROM chunks WHERE file=?`, k.id)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.remove(ctx, id); err != nil {
			return err
		}
	}
	if name == feedbackName {
		if err := w.judge(ctx, nil); err != nil {
			return err
		}
	}
	_, err = w.c.ExecContext(ctx, `DELETE FROM files WHERE id=?`, k.id)
	return err
}

// finish writes the counts. digest is what the files look like as a whole;
// nil when that is not known.
func (w *writer) finish(ctx context.Context, digest []byte) error {
	if err := w.df.write(ctx, w.c); err != nil {
		return fmt.Errorf("counting terms: %w", err)
	}
	if err := w.vectors.finish(ctx); err != nil {
		return fmt.Errorf("writing vectors: %w", err)
	}
	_, err := w.c.ExecContext(ctx, `UPDATE meta SET value = CASE key WHEN 'chunks' THEN value+?1 WHEN 'writes' THEN value+1 ELSE ?2 END
		WHERE key IN ('chunks', 'writes', 'digest')`, w.chunks, blob(digest))
	return err
}

// blob is never NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
