package postgres

import (
	"context"
	"slices"

	"agentflow/index/stems"
	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// update is a write transaction. It collects rows and writes many at a time.
type update struct {
	failing
	tx    pgx.Tx
	m     meta
	key   string // of the embedder that makes vectors
	fresh bool   // the tables were empty, so no lookups are needed
	held  int64  // number of chunks at the start

	batch    *pgx.Batch     // statements that run in this order, not yet sent
	chunks   []chunkRow     // not yet written
	postings postingChanges // not yet written
	df       map[uint32]int64
	history  *historyBlocks
	vectors  *vectorBlocks
}

// rowsAtOnce limits the collected chunks: as many as one block of postings
// covers.
const rowsAtOnce = blockSize

func newUpdate(ctx context.Context, tx pgx.Tx, m meta, key string, fresh bool) *update {
	u := &update{failing: failing{ctx: ctx}, tx: tx, m: m, key: key, fresh: fresh, held: m.chunks, batch: &pgx.Batch{}, df: map[uint32]int64{}, postings: postingChanges{}}
	u.history, u.vectors = newHistoryBlocks(u), newVectorBlocks(u)
	return u
}

// exec queues a statement.
func (u *update) exec(query string, args ...any) {
	if u.err == nil {
		u.batch.Queue(query, args...)
	}
}

// send runs the queued statements.
func (u *update) send() {
	if u.err == nil && u.batch.Len() > 0 {
		u.Fail(u.tx.SendBatch(u.ctx, u.batch).Close())
		u.batch = &pgx.Batch{}
	}
}

func (u *update) sent() error {
	u.send()
	return u.err
}

// scanned reads the only column of a query.
func scanned[T any](u *update, query string, args ...any) (list []T) {
	u.each(func(scan func(...any) error) error {
		var one T
		err := scan(&one)
		list = append(list, one)
		return err
	}, query, args...)
	return list
}

// each runs the queued statements, and then f for each row of a query.
func (u *update) each(f func(scan func(...any) error) error, query string, args ...any) {
	u.send()
	if u.err == nil {
		u.Fail(each(u.ctx, u.tx, f, query, args...))
	}
}

// table returns the name of the index's own table, which may not be a partition
// yet.
func (u *update) table(name string) string { return u.m.table(name) }

func (u *update) copyIn(table string, columns []string, rows [][]any) {
	u.send()
	if u.err == nil && len(rows) > 0 {
		_, err := u.tx.CopyFrom(u.ctx, pgx.Identifier{u.table(table)}, columns, pgx.CopyFromRows(rows))
		u.Fail(err)
	}
}

// Writes returns how many earlier transactions changed the index.
func (u *update) Writes() int64 { return u.m.writes }

// File returns a file as it is indexed.
func (u *update) File(name string) (k store.Known, ok bool) {
	if u.fresh {
		return k, false
	}
	u.each(func(scan func(...any) error) error {
		ok = true
		return scan(&k.ID, &k.Hash, &k.Expires)
	}, `SELECT id, hash, expires FROM `+u.table("files")+` WHERE path=$1`, name)
	return k, ok
}

// NoteListing stores a new listing for unchanged contents.
func (u *update) NoteListing(file int64, sig []byte) {
	u.exec(`UPDATE `+u.table("files")+` SET sig=$1 WHERE id=$2`, bytesOf(sig), file)
}

// Begin starts the update of a file.
func (u *update) Begin(id int64, f store.File) (file int64, held map[int64][]store.Place) {
	held = map[int64][]store.Place{}
	if id == 0 {
		u.m.lastFile++
		id = u.m.number(u.m.lastFile)
		u.exec(`INSERT INTO `+u.table("files")+`(index, id, path, sig, hash, size, included, author) VALUES($1,$2,$3,$4,$5,$6,$7,$8)`,
			u.m.id, id, clean(f.Name), bytesOf(f.Sig), bytesOf(f.Hash), f.Size, f.Included, clean(f.Author))
		return id, held
	}
	u.each(func(scan func(...any) error) error {
		var k store.Place
		var key int64
		err := scan(&k.ID, &key, &k.Ordinal, &k.Start, &k.Stop, &k.At)
		held[key] = append(held[key], k)
		return err
	}, `SELECT id, key, ordinal, start, stop, at FROM `+u.table("chunks")+` WHERE file=$1 ORDER BY id`, id)
	u.exec(`UPDATE `+u.table("files")+` SET sig=$1, hash=$2, size=$3, author=$4, expires=NULL, entries=0, digest=NULL WHERE id=$5`,
		bytesOf(f.Sig), bytesOf(f.Hash), f.Size, clean(f.Author), id)
	return id, held
}

// Move stores the new place of a chunk.
func (u *update) Move(p store.Place, r *store.Row) {
	u.exec(`UPDATE `+u.table("chunks")+` SET ordinal=$1, start=$2, stop=$3, at=$4 WHERE id=$5 AND index=$6`, p.Ordinal, p.Start, p.Stop, p.At, p.ID, u.m.id)
}

// End completes the update of a file.
func (u *update) End(file int64, e store.FileEnd) {
	if !u.fresh {
		u.exec(`DELETE FROM `+u.table("names")+` WHERE file=$1`, file)
	}
	u.exec(`UPDATE `+u.table("files")+` SET entries=$1, digest=$2, expires=$3 WHERE id=$4`, e.Entries, e.Digest, e.Expires, file)
	if len(e.Names) > 0 {
		u.exec(`INSERT INTO `+u.table("names")+`(index, name, file) SELECT $1, n, $2 FROM unnest($3::bigint[]) n`, u.m.id, file, e.Names)
	}
}

// Judge replaces all judgements.
func (u *update) Judge(list []store.Judgement) {
	u.exec(`DELETE FROM ` + u.table("judgements"))
	for _, j := range list {
		u.exec(`INSERT INTO `+u.table("judgements")+` VALUES($1,$2,$3)`, u.m.id, clean(j.Entry), bytesOf(j.Terms))
	}
}

// Drop removes a file and its chunks.
func (u *update) Drop(name string) {
	k, ok := u.File(name)
	if !ok {
		return
	}
	ids := scanned[int64](u, `SELECT id FROM `+u.table("chunks")+` WHERE file=$1`, k.ID)
	u.Remove(ids)
	u.exec(`DELETE FROM `+u.table("names")+` WHERE file=$1`, k.ID)
	u.exec(`DELETE FROM `+u.table("files")+` WHERE id=$1`, k.ID)
}

// Finish writes the collected rows and the state of the index.
func (u *update) Finish(changed store.Changed, listing []byte) error {
	if changed == store.Listings {
		u.exec(`UPDATE indexes SET listing=$1 WHERE id=$2`, bytesOf(listing), u.m.id)
		return u.sent()
	}
	u.write(true)
	u.writeCounts()
	if changed == store.Documents {
		u.m.writes++
		u.m.listing = bytesOf(listing)
	}
	m := u.m
	u.exec(`UPDATE indexes SET chunks=$2, tokens=$3, writes=$4, listing=$5, embedder=$6, dimensions=$7, vectors=$8, cached=$9, last_chunk=$10, last_file=$11 WHERE id=$1`,
		m.id, m.chunks, m.tokens, m.writes, bytesOf(m.listing), m.vectors.Embedder, m.vectors.Dimensions, m.vectors.Number, m.vectors.Cached, m.lastChunk, m.lastFile)
	return u.sent()
}

// count adds a chunk (by is 1) or removes it (-1).
func (u *update) count(terms []byte, tokens int, by int64) {
	u.m.chunks += by
	u.m.tokens += by * int64(tokens)
	for h := range stems.All(terms) {
		u.df[h] += by
	}
}

// writeCounts updates how many chunks hold each stem.
func (u *update) writeCounts() {
	of := map[uint32][]uint32{}
	for h := range u.df {
		of[stems.BucketOf(h)] = append(of[stems.BucketOf(h)], h)
	}
	old := map[uint32]stems.Bucket{}
	if !u.fresh {
		u.each(func(scan func(...any) error) error {
			var id int32
			var counts []byte
			err := scan(&id, &counts)
			old[uint32(id)] = counts
			return err
		}, `SELECT bucket, counts FROM `+u.table("df")+` WHERE bucket=ANY($1)`, keysOf(of))
	}
	var ids []int32
	var counts [][]byte
	for id, hashes := range of {
		slices.Sort(hashes)
		ids, counts = append(ids, int32(id)), append(counts, bytesOf(old[id].Plus(hashes, u.df)))
	}
	u.exec(`INSERT INTO `+u.table("df")+`(index, bucket, counts) SELECT $1, * FROM unnest($2::int[], $3::bytea[])
		ON CONFLICT(index, bucket) DO UPDATE SET counts=excluded.counts`, u.m.id, ids, counts)
	clear(u.df)
}
