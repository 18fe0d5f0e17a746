package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"agentflow/index/quantized"
	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// vectorBlocks keeps vectors consistent with chunks. In an index with an
// embedder, a chunk is in one of three states: its text waits in pending; or it
// refers to a vector in vectors, and a block of signatures has the bits of that
// vector; or it refers to an empty vector.
type vectorBlocks struct {
	u       *update
	added   map[int64]map[int64][]byte // packed vectors by block and chunk
	removed map[int64][]int64          // by block
}

// slackCache limits the vectors cached beyond two for each chunk with a
// vector.
const slackCache = 1000

func newVectorBlocks(u *update) *vectorBlocks {
	return &vectorBlocks{u, map[int64]map[int64][]byte{}, map[int64][]int64{}}
}

// give sets the vectors of new chunks: those that came with them, or the cached
// vectors of equal texts. It queues the chunks that have neither.
func (w *vectorBlocks) give(rows []chunkRow) {
	if w.u.m.vectors.Embedder == "" || len(rows) == 0 {
		return
	}
	kept := w.kept(rows)
	var made, waiting [][]any
	for i := range rows {
		k, e := &rows[i], &rows[i].row.Embedding
		v, ok := kept[string(e.Hash)]
		switch {
		case ok:
		case w.takes(e):
			v = bytesOf(e.Vector)
			kept[string(e.Hash)] = v
			made = append(made, []any{w.u.m.id, e.Hash, v})
			w.u.m.vectors.Cached++
		default:
			waiting = append(waiting, []any{w.u.m.id, k.id, e.Hash, clean(e.Text)})
			continue
		}
		k.hash = e.Hash
		w.place(k.id, v)
	}
	w.u.copyIn("vectors", []string{"index", "hash", "v"}, made)
	w.u.copyIn("pending", []string{"index", "chunk", "hash", "text"}, waiting)
}

// kept returns the cached vectors that rows need, by hash.
func (w *vectorBlocks) kept(rows []chunkRow) map[string][]byte {
	found := map[string][]byte{}
	if w.u.m.vectors.Cached == 0 {
		return found
	}
	hashes := make([][]byte, len(rows))
	for i := range rows {
		hashes[i] = rows[i].row.Embedding.Hash
	}
	w.u.each(func(scan func(...any) error) error {
		var hash, v []byte
		err := scan(&hash, &v)
		if found[string(hash)] = v; err == nil && !w.fits(v) {
			err = fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(v))
		}
		return err
	}, `SELECT hash, v FROM `+w.u.table("vectors")+` WHERE index=$1 AND hash=ANY($2)`, w.u.m.id, hashes)
	return found
}

// takes reports whether an embedding was made by the index's embedder. The
// first vector determines the number of dimensions.
func (w *vectorBlocks) takes(e *store.Embedding) bool {
	m := &w.u.m.vectors
	if !e.Made || w.u.key != m.Embedder && len(e.Vector) > 0 || !w.fits(e.Vector) {
		return false
	}
	if m.Dimensions == 0 && len(e.Vector) > 0 {
		m.Dimensions = quantized.Dimensions(e.Vector)
	}
	return true
}

// fits reports whether a packed vector is empty or has the dimensions of the
// others.
func (w *vectorBlocks) fits(packed []byte) bool {
	d := w.u.m.vectors.Dimensions
	return len(packed) == 0 || d == 0 || len(packed) == quantized.Size(d)
}

// place records the vector of a chunk for the chunk's block.
func (w *vectorBlocks) place(chunk int64, packed []byte) {
	if len(packed) == 0 {
		return
	}
	at := chunk / quantized.BlockSize
	if w.added[at] == nil {
		w.added[at] = map[int64][]byte{}
	}
	w.added[at][chunk] = packed
}

// remove removes the vector of a chunk. The cached vector stays, for other
// chunks with the same text.
func (w *vectorBlocks) remove(chunk int64) {
	at := chunk / quantized.BlockSize
	w.removed[at] = append(w.removed[at], chunk)
}

// write writes the changed blocks; while fresh tables are filled and all is
// false, only the full ones.
func (w *vectorBlocks) write(all bool) {
	if w.u.m.vectors.Embedder == "" {
		return
	}
	signs := quantized.NewSigns(w.u.m.vectors.Dimensions)
	changed := changedBlocks(w.added, w.removed, w.u.until(quantized.BlockSize, all))
	old := map[int64][]byte{}
	if !w.u.fresh && len(changed) > 0 {
		w.u.eachBlock(old, `SELECT block, bits FROM `+w.u.table("signatures")+` WHERE index=$1 AND block=ANY($2)`, w.u.m.id, changed)
	}
	for _, at := range changed {
		b := quantized.NewBlock(signs)
		if raw := old[at]; raw != nil {
			var err error
			if b, err = quantized.ReadBlock(signs, raw); err != nil {
				w.u.Fail(fmt.Errorf("%w: %w", store.ErrVectors, err))
				return
			}
		}
		w.change(at, b, signs)
		w.put(at, b)
	}
	if m := w.u.m.vectors; all && m.Cached > 2*m.Number+slackCache {
		w.trim()
	}
}

// change updates a block.
func (w *vectorBlocks) change(at int64, b *quantized.Block, signs quantized.Signs) {
	for _, chunk := range w.removed[at] {
		if b.Clear(int(chunk % quantized.BlockSize)) {
			w.u.m.vectors.Number--
		}
	}
	for chunk, packed := range w.added[at] {
		bits, ok := signs.OfPacked(packed)
		if !ok {
			w.u.Fail(fmt.Errorf("%w: a vector is not as it was written", store.ErrVectors))
		} else if b.Set(int(chunk%quantized.BlockSize), bits) {
			w.u.m.vectors.Number++
		}
	}
	delete(w.removed, at)
	delete(w.added, at)
}

// put writes a block. Its new edition makes processes that cache the block read
// it again.
func (w *vectorBlocks) put(at int64, b *quantized.Block) {
	switch {
	case !b.Changed:
	case b.Len() == 0:
		w.u.exec(`DELETE FROM `+w.u.table("signatures")+` WHERE index=$1 AND block=$2`, w.u.m.id, at)
	default:
		w.u.exec(`INSERT INTO `+w.u.table("signatures")+`(index, block, edition, bits) VALUES($1,$2,$3,$4)
			ON CONFLICT(index, block) DO UPDATE SET edition=excluded.edition, bits=excluded.bits`, w.u.m.id, at, rand.Int64(), b.Encode())
	}
}

// trim deletes cached vectors that no chunk uses.
func (w *vectorBlocks) trim() {
	w.u.each(func(scan func(...any) error) error { return scan(&w.u.m.vectors.Cached) },
		`WITH gone AS (DELETE FROM `+w.u.table("vectors")+` v WHERE NOT EXISTS (SELECT 1 FROM `+w.u.table("chunks")+` c WHERE c.index=v.index AND c.hash=v.hash) RETURNING 1)
		SELECT (SELECT count(*) FROM `+w.u.table("vectors")+`) - (SELECT count(*) FROM gone)`)
}

// keepVectors copies the vectors of the generation that a new one replaces, if
// they are from the same embedder, or from any if there is no embedder now:
// they may have cost money.
func (m *meta) keepVectors(ctx context.Context, tx pgx.Tx, repository string) error {
	var old meta
	err := tx.QueryRow(ctx, `SELECT `+metaColumns+` FROM indexes WHERE repository=$1 AND live`, repository).Scan(old.into()...)
	if err != nil || !strings.HasPrefix(old.vectors.Embedder, store.CacheLayout) || m.vectors.Embedder != "" && m.vectors.Embedder != old.vectors.Embedder {
		return err
	}
	done, err := tx.Exec(ctx, `INSERT INTO `+m.table("vectors")+`(index, hash, v) SELECT $1, hash, v FROM `+old.table("vectors")+` WHERE length(v) IN (0, $2)`,
		m.id, quantized.Size(old.vectors.Dimensions))
	m.vectors = store.Vectors{Embedder: old.vectors.Embedder, Dimensions: old.vectors.Dimensions, Cached: done.RowsAffected()}
	return err
}
