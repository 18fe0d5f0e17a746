package sqlite

import (
	"database/sql"

	"agentflow/index/store"
)

// Listed returns the state of the listing as a whole.
func (v *view) Listed() (l store.Listed) {
	v.one([]any{&l.Digest, &l.Embedder, &l.Writes, &l.Expires}, `SELECT value, (SELECT value FROM meta WHERE key='embedder'),
		(SELECT value FROM meta WHERE key='writes'), (SELECT min(expires) FROM files WHERE expires IS NOT NULL) FROM meta WHERE key='digest'`)
	return l
}

// Files returns all files by path.
func (v *view) Files() map[string]store.Known {
	have := map[string]store.Known{}
	v.each(func(scan scan) error {
		var k store.Known
		var path string
		err := scan(&k.ID, &path, &k.Sig, &k.Hash, &k.Expires, &k.Digest)
		have[path] = k
		return err
	}, `SELECT id, path, sig, hash, expires, digest IS NOT NULL FROM files`)
	return have
}

// Keys returns the keys of a file's chunks, in order.
func (v *view) Keys(file int64) []int64 {
	return listOf[int64](v.statements, `SELECT key FROM chunks WHERE file=? ORDER BY key`, file)
}

// Digests calls f with the digests of some files, or of all if ids is nil.
func (v *view) Digests(ids []int64, f func(id int64, coded []byte) error) {
	where := `digest IS NOT NULL`
	if ids != nil {
		where = `id IN (` + idList(ids) + `)`
	}
	v.each(func(scan scan) error {
		var id int64
		var coded sql.RawBytes
		if err := scan(&id, &coded); err != nil {
			return err
		}
		return f(id, coded)
	}, `SELECT id, digest FROM files WHERE `+where)
}

// Totals counts files, entries and chunks.
func (v *view) Totals() (t store.Totals) {
	v.one([]any{&t.Files, &t.Included, &t.Entries, &t.Chunks, &t.Pending}, `SELECT (SELECT count(*) FROM files),
		(SELECT coalesce(sum(included), 0) FROM files WHERE substr(path, 1, 2) <> '//'),
		(SELECT coalesce(sum(entries), 0) FROM files), (SELECT value FROM meta WHERE key='chunks'),
		(SELECT count(*) FROM pending)`)
	return t
}
