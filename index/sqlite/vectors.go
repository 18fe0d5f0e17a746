package sqlite

import (
	"fmt"
	"maps"
	"slices"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// vectorWriter keeps vectors in step with chunks inside one write
// transaction. A chunk of an index with an embedder is in one of three states:
// its text waits in pending; or it names a vector in embeddings, and
// the bits of that are in a block; or it names one there that is empty.
type vectorWriter struct {
	*statements
	m, was store.Vectors
	signs  quantized.Signs
	blocks map[int64]*quantized.Block // those that were needed, by id
}

// slackCache is how many rows the cache may have beyond two for each chunk with a vector.
const slackCache = 1000

func newVectorWriter(s *statements) *vectorWriter {
	m := s.vectors()
	return &vectorWriter{statements: s, m: m, was: m, signs: quantized.NewSigns(m.Dimensions), blocks: map[int64]*quantized.Block{}}
}

// cached is a vector in the cache.
type cached struct {
	id     int64 // 0: it is not there
	packed []byte
}

// take gives a new chunk its vector, from e or from the cache; it is not there when
// the chunk has to wait for one. key is of the embedder that made e's.
func (w *vectorWriter) take(e store.Embedding, key string) cached {
	if w.m.Embedder == "" {
		return cached{}
	}
	made := e.Made && (key == w.m.Embedder || len(e.Vector) == 0) && w.fits(e.Vector)
	if !made || w.was.Cached > 0 { // else it is nearly always new: looking first would take longer
		if v := w.cached(e.Hash); v.id != 0 {
			return v
		}
	}
	if !made {
		return cached{}
	}
	if id := w.store(e); id != 0 {
		return cached{id, e.Vector}
	}
	return w.cached(e.Hash)
}

// add keeps the vector that a new chunk took, or lets it wait for one.
func (w *vectorWriter) add(chunk int64, v cached, e store.Embedding) {
	switch {
	case w.m.Embedder == "":
	case v.id == 0:
		w.exec(`INSERT INTO pending(chunk, hash, text) VALUES(?,?,?)`, chunk, e.Hash, e.Text)
	default:
		w.place(chunk, v.packed)
	}
}

func (w *vectorWriter) stopWaiting(chunk int64) { w.exec(`DELETE FROM pending WHERE chunk=?`, chunk) }

// remove forgets the vector of a chunk; the cache may keep it.
func (w *vectorWriter) remove(chunk int64) {
	if w.m.Embedder == "" {
		return
	}
	w.stopWaiting(chunk)
	if w.block(chunk).Clear(slotOf(chunk)) {
		w.m.Number--
	}
}

// cached looks a vector up; one that is not of the index's dimension counts as
// none.
func (w *vectorWriter) cached(hash []byte) (v cached) {
	if w.row([]any{&v.id, &v.packed}, `SELECT id, v FROM embeddings WHERE hash=?`, hash) && !w.fits(v.packed) {
		w.Fail(fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(v.packed)))
	}
	return v
}

// fits says whether a packed vector has the dimension of the others, or is
// none.
func (w *vectorWriter) fits(packed []byte) bool {
	return len(packed) == 0 || w.m.Dimensions == 0 || len(packed) == quantized.Size(w.m.Dimensions)
}

// store adds a vector to the cache, and returns 0 when it is there. The first decides
// the dimension.
func (w *vectorWriter) store(e store.Embedding) (id int64) {
	if w.m.Dimensions == 0 && len(e.Vector) > 0 {
		w.m.Dimensions = quantized.Dimensions(e.Vector)
		w.signs = quantized.NewSigns(w.m.Dimensions)
		clear(w.blocks) // there is none yet, but they were made for 0
	}
	id, n := w.exec(`INSERT OR IGNORE INTO embeddings(hash, v) VALUES(?,?)`, e.Hash, blob(e.Vector))
	if w.m.Cached += n; n == 0 {
		return 0
	}
	return id
}

// place puts the bits of a chunk's vector into its block.
func (w *vectorWriter) place(chunk int64, packed []byte) {
	if len(packed) == 0 || w.err != nil {
		return
	}
	bits, ok := w.signs.OfPacked(packed)
	if !ok {
		w.Fail(fmt.Errorf("%w: a vector is not as it was written", store.ErrVectors))
	} else if w.block(chunk).Set(slotOf(chunk), bits) {
		w.m.Number++
	}
}

func slotOf(chunk int64) int { return int(chunk % quantized.BlockSize) }

// block reads the block of a chunk.
func (w *vectorWriter) block(chunk int64) *quantized.Block {
	id := chunk / quantized.BlockSize
	b := w.blocks[id]
	if b == nil {
		var raw []byte
		b = quantized.NewBlock(w.signs)
		if w.row([]any{&raw}, `SELECT bits FROM blocks WHERE id=?`, id) {
			read, err := readBlock(w.signs, raw)
			if w.Fail(err); err == nil {
				b = read
			}
		}
		w.blocks[id] = b
	}
	return b
}

func readBlock(s quantized.Signs, raw []byte) (*quantized.Block, error) {
	b, err := quantized.ReadBlock(s, raw)
	if err != nil {
		err = fmt.Errorf("%w: %w", store.ErrVectors, err)
	}
	return b, err
}

// finish writes the blocks and the counts.
func (w *vectorWriter) finish() {
	for _, id := range slices.Sorted(maps.Keys(w.blocks)) {
		switch b := w.blocks[id]; {
		case !b.Changed:
		case b.Len() == 0:
			w.exec(`DELETE FROM blocks WHERE id=?`, id)
		default:
			w.exec(`INSERT OR REPLACE INTO blocks VALUES(?,?)`, id, b.Encode())
		}
	}
	if w.m.Cached > 2*w.m.Number+slackCache {
		w.trim()
	}
	if w.m != w.was && w.err == nil {
		w.Fail(writeVectors(w.ctx, w.c, w.m))
	}
}

// trim drops vectors from the cache that no chunk needs.
func (w *vectorWriter) trim() {
	_, n := w.exec(`DELETE FROM embeddings WHERE id NOT IN (SELECT embedding FROM chunks)`)
	w.m.Cached -= n
}
