package postgres

import (
	"agentflow/index/files"
	"agentflow/index/store"
)

// Listed returns the state of the listing as a whole.
func (v *view) Listed() (l store.Listed) {
	if len(v.live) != 1 {
		return l
	}
	m := v.live[0]
	l = store.Listed{Digest: m.listing, Embedder: m.vectors.Embedder, Writes: m.writes}
	for _, first := range listOf[*int64](v, `SELECT min(expires) FROM `+v.table("files")+` WHERE index=$1`, m.id) {
		l.Expires = first
	}
	return l
}

// Files returns all files by path.
func (v *view) Files() map[string]store.Known {
	have := map[string]store.Known{}
	v.each(func(scan func(...any) error) error {
		var k store.Known
		var path string
		err := scan(&k.ID, &path, &k.Sig, &k.Hash, &k.Expires, &k.Digest)
		have[path] = k
		return err
	}, `SELECT id, path, sig, hash, expires, digest IS NOT NULL FROM `+v.table("files")+` WHERE index=ANY($1)`, v.indexes())
	return have
}

// Keys returns the keys of a file's chunks, in order.
func (v *view) Keys(file int64) []int64 {
	return listOf[int64](v, `SELECT key FROM `+v.table("chunks")+` WHERE index=ANY($1) AND file=$2 ORDER BY key`, v.indexes(), file)
}

// Digests calls f with the digests of some files, or of all if ids is nil.
func (v *view) Digests(ids []int64, f func(id int64, coded []byte) error) {
	v.each(func(scan func(...any) error) error {
		var id int64
		var coded []byte
		if err := scan(&id, &coded); err != nil {
			return err
		}
		return f(id, coded)
	}, `SELECT id, digest FROM `+v.table("files")+` WHERE index=ANY($1) AND digest IS NOT NULL AND ($2::bigint[] IS NULL OR id=ANY($2))`, v.indexes(), ids)
}

// History reads the blocks with the newest entries. It reads a few more than
// needed, because a block may also hold older entries.
func (v *view) History(entries int) (blocks [][]byte) {
	v.each(func(scan func(...any) error) error {
		var data []byte
		err := scan(&data)
		blocks = append(blocks, data)
		return err
	}, `SELECT data FROM (SELECT data, newest, block, sum(entries) OVER (ORDER BY newest DESC, block DESC) - entries AS before FROM `+v.table("history")+` WHERE index=ANY($1)) b
		WHERE before < $2 ORDER BY newest DESC, block DESC`, v.indexes(), entries+files.BlockSize)
	return blocks
}

// Waiting returns the chunks to embed next, and the number of all that wait.
func (v *view) Waiting(most func(refused int) int) (list []store.Waiting, all int) {
	var refused int
	v.each(func(scan func(...any) error) error { return scan(&all, &refused) },
		`SELECT count(*), coalesce(min(refused), 0) FROM `+v.table("pending")+` WHERE index=ANY($1)`, v.indexes())
	v.each(func(scan func(...any) error) error {
		w := store.Waiting{Refused: refused}
		err := scan(&w.ID, &w.Hash, &w.Text, &w.Cached)
		list = append(list, w)
		return err
	}, `SELECT p.chunk, p.hash, p.text, EXISTS (SELECT 1 FROM `+v.table("vectors")+` e WHERE e.index=p.index AND e.hash=p.hash) FROM `+v.table("pending")+` p
		WHERE p.index=ANY($1) AND p.refused=$2 ORDER BY p.chunk DESC LIMIT $3`, v.indexes(), refused, most(refused))
	return list, all
}

// Totals counts files, entries and chunks.
func (v *view) Totals() (t store.Totals) {
	v.each(func(scan func(...any) error) error { return scan(&t.Files, &t.Included, &t.Entries, &t.Pending) },
		`SELECT count(*), count(*) FILTER (WHERE included AND NOT starts_with(path, '//')), coalesce(sum(entries), 0),
			(SELECT count(*) FROM `+v.table("pending")+` WHERE index=ANY($1)) FROM `+v.table("files")+` WHERE index=ANY($1)`, v.indexes())
	t.Chunks = v.Chunks()
	return t
}
