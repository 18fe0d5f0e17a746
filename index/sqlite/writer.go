package sqlite

import (
	"context"
	"database/sql"

	"agentflow/index/store"
)

// writer changes the index within one write transaction. Finish writes the
// counts and blocks that it collects in memory.
//
// Before Finish, a writer runs no statement that SQLite guards with a
// savepoint, such as an upsert: FTS5 writes out its collected changes at every
// savepoint, which made a build take 1.5 times as long.
type writer struct {
	*statements
	writes int64  // earlier transactions that changed the contents
	chunks int64  // added minus removed
	df     counts // chunks added minus removed, by stem

	vectors *vectorWriter
	history *historyWriter
	key     string // of the embedder that made the rows' vectors
}

func newWriter(ctx context.Context, c *sql.Conn, o store.Options) *writer {
	s := newStatements(ctx, c)
	w := &writer{statements: s, key: o.Embedder, df: counts{}, vectors: newVectorWriter(s), history: newHistoryWriter(s)}
	w.one([]any{&w.writes}, `SELECT value FROM meta WHERE key='writes'`)
	return w
}

// Writes returns how many earlier transactions changed the contents.
func (w *writer) Writes() int64 { return w.writes }

// File returns a file as it is indexed.
func (w *writer) File(name string) (k store.Known, ok bool) {
	ok = w.row([]any{&k.ID, &k.Hash, &k.Expires}, `SELECT id, hash, expires FROM files WHERE path=?`, name)
	return k, ok
}

// NoteListing stores a new listing for unchanged contents.
func (w *writer) NoteListing(file int64, sig []byte) {
	w.exec(`UPDATE files SET sig=? WHERE id=?`, blob(sig), file)
}

// Begin starts the update of a file.
func (w *writer) Begin(id int64, f store.File) (file int64, held map[int64][]store.Place) {
	held = map[int64][]store.Place{}
	if id == 0 {
		id, _ = w.exec(`INSERT INTO files(sig, hash, size, included, author, path) VALUES(?,?,?,?,?,?)`, blob(f.Sig), f.Hash, f.Size, f.Included, f.Author, f.Name)
		return id, held
	}
	w.Fail(each(w.ctx, w.c, func(scan scan) error {
		var k store.Place
		var key int64
		err := scan(&k.ID, &key, &k.Ordinal, &k.Start, &k.Stop, &k.At)
		held[key] = append(held[key], k)
		return err
	}, `SELECT id, key, ordinal, start, stop, at FROM chunks WHERE file=? ORDER BY id`, id))
	w.exec(`UPDATE files SET sig=?, hash=?, size=?, author=?, expires=NULL, entries=0, digest=NULL WHERE id=?`, blob(f.Sig), f.Hash, f.Size, f.Author, id)
	return id, held
}

// maxCounts limits the stems counted in memory: about 10 MB.
const maxCounts = 1 << 18

// Add adds a chunk.
func (w *writer) Add(file int64, r *store.Row) {
	date, zone := store.Date(r.Date)
	v := w.vectors.take(r.Embedding, w.key)
	id, _ := w.exec(`INSERT INTO chunks(file, key, embedding, entry, kind, heading, ns, source, ordinal, start, stop, date, zone, branch, commits,
			paths, types, tags, categories, importance, pinned, undone, idle, bytool, person, sum, terms, at, size, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		file, r.Key, v.id, r.EntryID, string(r.Kind), r.Heading, r.Namespace, r.Source, r.Ordinal, r.StartLine, r.EndLine, date, zone,
		r.Branch, store.JoinList(r.Commits), store.JoinList(r.Paths), store.JoinList(r.Types), store.JoinList(r.Tags), store.JoinList(r.Categories), r.Importance, r.Pinned, r.Undone, r.Idle, r.ByTool, r.Person,
		int64(r.Sum), r.Terms, r.At, len(r.Text), r.Apart())
	w.count(r.Terms, 1)
	w.exec(`INSERT INTO fts(rowid, title, body, files) VALUES(?,?,?,?)`, id, r.Title, r.Body, r.Files)
	w.vectors.add(id, v, r.Embedding)
	w.history.add(id, r)
	if len(w.df) >= maxCounts {
		w.writeCounts()
	}
}

// Move stores the new place of a chunk.
func (w *writer) Move(p store.Place, r *store.Row) {
	w.exec(`UPDATE chunks SET ordinal=?, start=?, stop=?, at=?, text=? WHERE id=?`, p.Ordinal, p.Start, p.Stop, p.At, r.Apart(), p.ID)
}

// Remove removes chunks.
func (w *writer) Remove(ids []int64) {
	for _, id := range ids {
		w.remove(id)
	}
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

// End completes the update of a file.
func (w *writer) End(file int64, e store.FileEnd) {
	w.exec(`DELETE FROM names WHERE file=?`, file)
	w.exec(`UPDATE files SET entries=?, digest=?, expires=? WHERE id=?`, e.Entries, e.Digest, e.Expires, file)
	for _, name := range e.Names {
		w.exec(`INSERT INTO names VALUES(?,?)`, name, file)
	}
}

// Judge replaces all judgements.
func (w *writer) Judge(list []store.Judgement) {
	w.exec(`DELETE FROM judgements`)
	for _, j := range list {
		w.exec(`INSERT INTO judgements VALUES(?,?)`, j.Entry, j.Terms)
	}
}

// Drop removes a file and its chunks.
func (w *writer) Drop(name string) {
	k, ok := w.File(name)
	if !ok {
		return
	}
	w.Remove(listOf[int64](w.statements, `SELECT id FROM chunks WHERE file=?`, k.ID))
	w.exec(`DELETE FROM names WHERE file=?`, k.ID)
	w.exec(`DELETE FROM files WHERE id=?`, k.ID)
}

// Finish writes the collected counts and blocks, and returns the first error of
// the transaction.
func (w *writer) Finish(changed store.Changed, listing []byte) error {
	if changed == store.Listings { // this does not change the edition
		w.exec(`UPDATE meta SET value=? WHERE key='digest'`, blob(listing))
		return w.err
	}
	w.vectors.finish()
	if changed == store.VectorsOnly {
		return w.err
	}
	w.writeCounts()
	w.history.finish()
	w.exec(`UPDATE meta SET value = CASE key WHEN 'chunks' THEN value+?1 WHEN 'writes' THEN value+1 ELSE ?2 END
		WHERE key IN ('chunks', 'writes', 'digest')`, w.chunks, blob(listing))
	return w.err
}
