package sqlite

import (
	"fmt"
	"maps"
	"slices"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// vectorWriter keeps vectors consistent with chunks, within one write
// transaction. In an index with an embedder, a chunk is in one of three states:
// its text waits in pending; or it refers to a vector in embeddings, and a
// block has the bits of that vector; or it refers to an empty vector.
type vectorWriter struct {
	*statements
	m, was store.Vectors
	signs  quantized.Signs
	blocks map[int64]*quantized.Block // the blocks used so far, by id
}

// slackCache limits the vectors cached beyond two for each chunk with a
// vector.
const slackCache = 1000

func newVectorWriter(s *statements) *vectorWriter {
	m := s.vectors()
	return &vectorWriter{statements: s, m: m, was: m, signs: quantized.NewSigns(m.Dimensions), blocks: map[int64]*quantized.Block{}}
}

// cached is a vector in the cache.
type cached struct {
	id     int64 // 0 if it is not in the cache
	packed []byte
}

// take returns the vector of a new chunk, from e or from the cache. Its id is 0
// if the chunk has to wait for one. key identifies the embedder that made e's
// vector.
func (w *vectorWriter) take(e store.Embedding, key string) cached {
	if w.m.Embedder == "" {
		return cached{}
	}
	made := e.Made && (key == w.m.Embedder || len(e.Vector) == 0) && w.fits(e.Vector)
	if !made || w.was.Cached > 0 { // otherwise it is nearly always new, and a lookup would only take time
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

// add stores the vector that a new chunk took, or queues the chunk.
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

// remove removes the vector of a chunk. The cached vector stays.
func (w *vectorWriter) remove(chunk int64) {
	if w.m.Embedder == "" {
		return
	}
	w.stopWaiting(chunk)
	if w.block(chunk).Clear(slotOf(chunk)) {
		w.m.Number--
	}
}

// cached looks up a vector. A vector with other dimensions than the index's is
// an error.
func (w *vectorWriter) cached(hash []byte) (v cached) {
	if w.row([]any{&v.id, &v.packed}, `SELECT id, v FROM embeddings WHERE hash=?`, hash) && !w.fits(v.packed) {
		w.Fail(fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(v.packed)))
	}
	return v
}

// fits reports whether a packed vector is empty or has the dimensions of the
// others.
func (w *vectorWriter) fits(packed []byte) bool {
	return len(packed) == 0 || w.m.Dimensions == 0 || len(packed) == quantized.Size(w.m.Dimensions)
}

// store adds a vector to the cache. It returns 0 if the cache already has one.
// The first vector determines the number of dimensions.
func (w *vectorWriter) store(e store.Embedding) (id int64) {
	if w.m.Dimensions == 0 && len(e.Vector) > 0 {
		w.m.Dimensions = quantized.Dimensions(e.Vector)
		w.signs = quantized.NewSigns(w.m.Dimensions)
		clear(w.blocks) // they were made for dimension 0, and hold no vector yet
	}
	id, n := w.exec(`INSERT OR IGNORE INTO embeddings(hash, v) VALUES(?,?)`, e.Hash, blob(e.Vector))
	if w.m.Cached += n; n == 0 {
		return 0
	}
	return id
}

// place stores the bits of a chunk's vector in its block.
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

// block returns the block of a chunk.
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

// trim deletes cached vectors that no chunk uses.
func (w *vectorWriter) trim() {
	_, n := w.exec(`DELETE FROM embeddings WHERE id NOT IN (SELECT embedding FROM chunks)`)
	w.m.Cached -= n
}
