package index

import (
	"context"
	"database/sql"
)

// writer changes the index inside one write transaction. What it adds up in
// memory is written by finish.
//
// No statement of a writer before finish is one that SQLite guards with a
// savepoint of its own, such as an upsert: FTS5 writes out what it gathered
// at every savepoint, which made a build half as slow again.
type writer struct {
	*statements
	writes int64  // transactions that changed what the index holds, before this one
	chunks int64  // added less removed
	df     counts // chunks added less removed

	vectors *vectorWriter
	history *historyWriter
	key     string // of the embedder that made the rows' vectors
}

func newWriter(ctx context.Context, c *sql.Conn, o Options) *writer {
	s := newStatements(ctx, c)
	w := &writer{statements: s, key: embedderKey(o), df: counts{}, vectors: newVectorWriter(s), history: newHistoryWriter(s)}
	w.one([]any{&w.writes}, `SELECT value FROM meta WHERE key='writes'`)
	return w
}

func (w *writer) file(name string) (k known, ok bool) {
	ok = w.row([]any{&k.id, &k.hash, &k.expires}, `SELECT id, hash, expires FROM files WHERE path=?`, name)
	return k, ok
}

// noteListing notes a new listing of unchanged contents.
func (w *writer) noteListing(id int64, p piece) {
	w.exec(`UPDATE files SET sig=? WHERE id=?`, blob(p.Sig), id)
}

func (w *writer) add(file int64, r *row) {
	date, zone := dateColumns(r.Date)
	v := w.vectors.take(r.embedding, w.key)
	id, _ := w.exec(`INSERT INTO chunks(file, key, embedding, entry, kind, heading, ns, source, ordinal, start, stop, date, zone, branch, commits,
			paths, types, tags, categories, importance, pinned, undone, idle, bytool, sum, terms, at, size, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		file, r.key, v.id, r.EntryID, string(r.Kind), r.Heading, r.Namespace, r.Source, r.Ordinal, r.StartLine, r.EndLine, date, zone,
		r.Branch, joinList(r.Commits), joinList(r.Paths), joinList(r.Types), joinList(r.Tags), joinList(r.Categories), r.Importance, r.Pinned, r.Undone, r.Idle, r.ByTool,
		int64(r.sum), r.terms, r.at, len(r.Text), r.apart())
	w.count(r.terms, 1)
	w.exec(`INSERT INTO fts(rowid, title, body, files) VALUES(?,?,?,?)`, id, r.Title, r.Body, r.Files)
	w.vectors.add(id, v, r.embedding)
	w.history.add(id, r)
}

func (w *writer) remove(id int64) {
	var terms []byte
	w.one([]any{&terms}, `SELECT terms FROM chunks WHERE id=?`, id)
	w.count(terms, -1)
	w.exec(`DELETE FROM chunks WHERE id=?`, id)
	w.exec(`DELETE FROM fts WHERE rowid=?`, id)
	w.vectors.remove(id)
	w.history.remove(id)
}

// removeAll removes the chunks whose ids a query gives.
func (w *writer) removeAll(query string, args ...any) {
	ids, err := column[int64](w.ctx, w.c, query, args...)
	w.fail(err)
	for _, id := range ids {
		w.remove(id)
	}
}

// drop removes a file and its chunks.
func (w *writer) drop(name string) {
	k, ok := w.file(name)
	if !ok {
		return
	}
	w.removeAll(`SELECT id FROM chunks WHERE file=?`, k.id)
	if name == feedbackName {
		w.replaceJudgements(nil)
	}
	w.writeBrief(k.id, nil)
	w.exec(`DELETE FROM files WHERE id=?`, k.id)
}

// finishListings is finish where nothing but listings was written: nobody has to search
// again for that, so it does not count as a write.
func (w *writer) finishListings(digest []byte) error {
	w.exec(`UPDATE meta SET value=? WHERE key='digest'`, blob(digest))
	return w.err
}

// finish writes the counts, and returns the first error of all. digest is what
// the files look like as a whole; nil when that is not known.
func (w *writer) finish(digest []byte) error {
	w.writeCounts()
	w.vectors.finish()
	w.history.finish()
	w.exec(`UPDATE meta SET value = CASE key WHEN 'chunks' THEN value+?1 WHEN 'writes' THEN value+1 ELSE ?2 END
		WHERE key IN ('chunks', 'writes', 'digest')`, w.chunks, blob(digest))
	return w.err
}
