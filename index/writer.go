package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// writer changes the index inside one write transaction. What it adds up in
// memory is written by finish.
type writer struct {
	c      *sql.Conn
	writes int64            // transactions the index has had before this one
	chunks int64            // added less removed
	df     map[uint32]int64 // by term: chunks added less removed

	findFile, addFile, setFile, signFile, listChunks, chunkTerms, addChunk, moveChunk, dropChunk, addText, dropText *sql.Stmt
}

func newWriter(ctx context.Context, c *sql.Conn) (*writer, error) {
	w := &writer{c: c, df: map[uint32]int64{}}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.findFile, `SELECT id, hash FROM files WHERE path=?`},
		{&w.addFile, `INSERT INTO files(sig, hash, size, path) VALUES(?,?,?,?)`},
		{&w.setFile, `UPDATE files SET sig=?, hash=?, size=? WHERE id=?`},
		{&w.signFile, `UPDATE files SET sig=? WHERE id=?`},
		{&w.listChunks, `SELECT id, key, ordinal, start, stop FROM chunks WHERE file=? ORDER BY id`},
		{&w.chunkTerms, `SELECT terms FROM chunks WHERE id=?`},
		{&w.addChunk, `INSERT INTO chunks(file, key, entry, kind, heading, ordinal, start, stop, date, zone, branch, commits, paths,
			types, tags, importance, pinned, sum, terms, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`},
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
	return w, c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='writes'`).Scan(&w.writes)
}

func (w *writer) close() {
	for _, s := range []*sql.Stmt{w.findFile, w.addFile, w.setFile, w.signFile, w.listChunks, w.chunkTerms, w.addChunk, w.moveChunk, w.dropChunk,
		w.addText, w.dropText} {
		_ = s.Close()
	}
}

func (w *writer) file(ctx context.Context, name string) (k known, ok bool, err error) {
	err = w.findFile.QueryRowContext(ctx, name).Scan(&k.id, &k.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return k, false, nil
	}
	return k, err == nil, err
}

// resign notes a new listing of unchanged contents.
func (w *writer) resign(ctx context.Context, id int64, p prepared) error {
	_, err := w.signFile.ExecContext(ctx, blob(p.sig), id)
	return err
}

// put makes a file's chunks what p says. Chunks that only moved keep their
// row: an appended entry costs one chunk, not the day's.
//
// No statement of a writer before finish is one that SQLite guards with a
// savepoint of its own, such as an upsert: FTS5 writes out what it gathered
// at every savepoint, which made a build half as slow again.
func (w *writer) put(ctx context.Context, id int64, p prepared) error {
	id, err := w.keepFile(ctx, id, p)
	if err != nil {
		return err
	}
	old, err := w.oldChunks(ctx, id)
	if err != nil {
		return err
	}
	var added []*row
	for i := range p.rows {
		r := &p.rows[i]
		same := old[r.key]
		if len(same) == 0 {
			added = append(added, r)
			continue
		}
		old[r.key] = same[1:]
		if o := same[0]; o.ordinal == r.ordinal && o.start == r.start && o.stop == r.stop {
			continue
		}
		if _, err := w.moveChunk.ExecContext(ctx, r.ordinal, r.start, r.stop, same[0].id); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		for _, o := range old[key] {
			if err := w.remove(ctx, o.id); err != nil {
				return err
			}
		}
	}
	for _, r := range added {
		if err := w.add(ctx, id, r); err != nil {
			return err
		}
	}
	return nil
}

// keepFile writes what a file is; id is 0 for a new one.
func (w *writer) keepFile(ctx context.Context, id int64, p prepared) (int64, error) {
	if id != 0 {
		_, err := w.setFile.ExecContext(ctx, blob(p.sig), p.hash, p.size, id)
		return id, err
	}
	res, err := w.addFile.ExecContext(ctx, blob(p.sig), p.hash, p.size, p.name)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// place is a stored chunk without its contents.
type place struct {
	id                   int64
	ordinal, start, stop int
}

func (w *writer) oldChunks(ctx context.Context, file int64) (map[int64][]place, error) {
	rows, err := w.listChunks.QueryContext(ctx, file)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	old := map[int64][]place{}
	for rows.Next() {
		var p place
		var key int64
		if err := rows.Scan(&p.id, &key, &p.ordinal, &p.start, &p.stop); err != nil {
			return nil, err
		}
		old[key] = append(old[key], p)
	}
	return old, rows.Err()
}

func (w *writer) add(ctx context.Context, file int64, r *row) error {
	res, err := w.addChunk.ExecContext(ctx, file, r.key, r.entry, r.kind, r.heading, r.ordinal, r.start, r.stop, r.date, r.zone,
		r.branch, r.commits, r.paths, r.types, r.tags, r.importance, r.pinned, int64(r.sum), r.terms, r.text)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	w.count(r.terms, 1)
	_, err = w.addText.ExecContext(ctx, id, r.title, r.body, r.files)
	return err
}

func (w *writer) remove(ctx context.Context, id int64) error {
	var terms []byte
	if err := w.chunkTerms.QueryRowContext(ctx, id).Scan(&terms); err != nil {
		return err
	}
	w.count(terms, -1)
	if _, err := w.dropChunk.ExecContext(ctx, id); err != nil {
		return err
	}
	_, err := w.dropText.ExecContext(ctx, id)
	return err
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
	_, err = w.c.ExecContext(ctx, `DELETE FROM files WHERE id=?`, k.id)
	return err
}

func (w *writer) count(terms []byte, by int64) {
	w.chunks += by
	for h := range unpack(terms) {
		w.df[h] += by
	}
}

// finish writes the counts. digest is what the files look like as a whole;
// nil when that is not known.
func (w *writer) finish(ctx context.Context, digest []byte) error {
	if err := w.writeCounts(ctx); err != nil {
		return fmt.Errorf("counting terms: %w", err)
	}
	_, err := w.c.ExecContext(ctx, `UPDATE meta SET value = CASE key WHEN 'chunks' THEN value+?1 WHEN 'writes' THEN value+1 ELSE ?2 END
		WHERE key IN ('chunks', 'writes', 'digest')`, w.chunks, blob(digest))
	return err
}

func (w *writer) writeCounts(ctx context.Context) error {
	up, err := w.c.PrepareContext(ctx, `INSERT INTO df VALUES(?,?) ON CONFLICT(term) DO UPDATE SET n=n+excluded.n`)
	if err != nil {
		return err
	}
	defer up.Close()
	shrunk := false
	for _, h := range slices.Sorted(maps.Keys(w.df)) {
		n := w.df[h]
		if n == 0 {
			continue
		}
		shrunk = shrunk || n < 0
		if _, err := up.ExecContext(ctx, int64(h), n); err != nil {
			return err
		}
	}
	if shrunk {
		_, err = w.c.ExecContext(ctx, `DELETE FROM df WHERE n<=0`)
	}
	return err
}

// blob is never NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
