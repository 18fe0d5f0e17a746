package index

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentflow/index/quantized"
)

// errBlocks means that the bits of the vectors do not agree with the chunks;
// they can be made anew from the cached vectors.
var errBlocks = errors.New("the vectors contradict the texts")

// vectorWriter keeps vectors in step with chunks inside one write
// transaction. A chunk of an index with an embedder is in one of three states:
// its text waits in pending; or it names a vector in embeddings, and
// the bits of that are in a block; or it names one there that is empty.
type vectorWriter struct {
	*statements
	m, was vectorMeta
	signs  quantized.Signs
	blocks map[int64]*quantized.Block // those that were needed, by id
}

// slackCache is how many rows the cache may have beyond two for each chunk with a vector.
const slackCache = 1000

func newVectorWriter(s *statements) *vectorWriter {
	m := s.vectorMeta()
	return &vectorWriter{statements: s, m: m, was: m, signs: quantized.NewSigns(m.dimensions), blocks: map[int64]*quantized.Block{}}
}

// cached is a vector in the cache.
type cached struct {
	id     int64 // 0: it is not there
	packed []byte
}

// take gives a new chunk its vector, from e or from the cache; it is not there when
// the chunk has to wait for one. key is of the embedder that made e's.
func (w *vectorWriter) take(e embedding, key string) cached {
	if w.m.embedder == "" {
		return cached{}
	}
	made := e.made && (key == w.m.embedder || len(e.vector) == 0) && w.fits(e.vector)
	if !made || w.was.cached > 0 { // else it is nearly always new: looking first would take longer
		if v := w.cached(e.hash); v.id != 0 {
			return v
		}
	}
	if !made {
		return cached{}
	}
	if id := w.store(e); id != 0 {
		return cached{id, e.vector}
	}
	return w.cached(e.hash)
}

// add keeps the vector that a new chunk took, or lets it wait for one.
func (w *vectorWriter) add(chunk int64, v cached, e embedding) {
	switch {
	case w.m.embedder == "":
	case v.id == 0:
		w.exec(`INSERT INTO pending(chunk, hash, text) VALUES(?,?,?)`, chunk, e.hash, e.text)
	default:
		w.place(chunk, v.packed)
	}
}

func (w *vectorWriter) stopWaiting(chunk int64) { w.exec(`DELETE FROM pending WHERE chunk=?`, chunk) }

// remove forgets the vector of a chunk; the cache may keep it.
func (w *vectorWriter) remove(chunk int64) {
	if w.m.embedder == "" {
		return
	}
	w.stopWaiting(chunk)
	if w.block(chunk).Clear(slotOf(chunk)) {
		w.m.vectors--
	}
}

// cached looks a vector up; one that is not of the index's dimension counts as
// none.
func (w *vectorWriter) cached(hash []byte) (v cached) {
	if w.row([]any{&v.id, &v.packed}, `SELECT id, v FROM embeddings WHERE hash=?`, hash) && !w.fits(v.packed) {
		w.fail(fmt.Errorf("%w: a vector has %d bytes", errBlocks, len(v.packed)))
	}
	return v
}

// fits says whether a packed vector has the dimension of the others, or is
// none.
func (w *vectorWriter) fits(packed []byte) bool {
	return len(packed) == 0 || w.m.dimensions == 0 || len(packed) == quantized.Size(w.m.dimensions)
}

// store adds a vector to the cache, and returns 0 when it is there. The first decides
// the dimension.
func (w *vectorWriter) store(e embedding) (id int64) {
	if w.m.dimensions == 0 && len(e.vector) > 0 {
		w.m.dimensions = quantized.Dimensions(e.vector)
		w.signs = quantized.NewSigns(w.m.dimensions)
		clear(w.blocks) // there is none yet, but they were made for 0
	}
	id, n := w.exec(`INSERT OR IGNORE INTO embeddings(hash, v) VALUES(?,?)`, e.hash, blob(e.vector))
	if w.m.cached += n; n == 0 {
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
		w.fail(fmt.Errorf("%w: a vector is not as it was written", errBlocks))
	} else if w.block(chunk).Set(slotOf(chunk), bits) {
		w.m.vectors++
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
			if w.fail(err); err == nil {
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
		err = fmt.Errorf("%w: %w", errBlocks, err)
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
	if w.m.cached > 2*w.m.vectors+slackCache {
		w.trim()
	}
	if w.m != w.was && w.err == nil {
		w.fail(w.m.write(w.ctx, w.c))
	}
}

// trim drops vectors from the cache that no chunk needs.
func (w *vectorWriter) trim() {
	_, n := w.exec(`DELETE FROM embeddings WHERE id NOT IN (SELECT embedding FROM chunks)`)
	w.m.cached -= n
}
