package index

import (
	"context"
	"database/sql"
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
// its text waits in pending; or its hash is in embeddings with a vector, and
// the bits of it are in a block; or its hash is there with none.
type vectorWriter struct {
	statements
	m, was vectorMeta
	signs  quantized.Signs
	blocks map[int64]*quantized.Block // those that were needed, by id
}

// slackCache is how many rows the cache may have beyond two for each chunk with a vector.
const slackCache = 1000

func newVectorWriter(ctx context.Context, s statements) (*vectorWriter, error) {
	m, err := readVectorMeta(ctx, s.c)
	return &vectorWriter{statements: s, m: m, was: m, signs: quantized.NewSigns(m.dimensions), blocks: map[int64]*quantized.Block{}}, err
}

// add gives a new chunk its vector, from e or from the cache, or lets it wait
// for one. key is of the embedder that made e's.
func (w *vectorWriter) add(ctx context.Context, chunk int64, e embedding, key string) error {
	if w.m.embedder == "" {
		return nil
	}
	made := e.made && (key == w.m.embedder || len(e.vector) == 0) && w.fits(e.vector)
	if !made || w.was.cached > 0 { // else it is nearly always new: looking first would take longer
		packed, ok, err := w.cached(ctx, e.hash)
		if err != nil {
			return err
		}
		if ok {
			return w.place(ctx, chunk, packed)
		}
	}
	if !made {
		_, err := w.exec(ctx, `INSERT INTO pending(chunk, text) VALUES(?,?)`, chunk, e.text)
		return err
	}
	if added, err := w.store(ctx, e); err != nil || added {
		return errors.Join(err, w.place(ctx, chunk, e.vector))
	}
	packed, _, err := w.cached(ctx, e.hash)
	return errors.Join(err, w.place(ctx, chunk, packed))
}

func (w *vectorWriter) stopWaiting(ctx context.Context, chunk int64) error {
	_, err := w.exec(ctx, `DELETE FROM pending WHERE chunk=?`, chunk)
	return err
}

// remove forgets the vector of a chunk; the cache may keep it.
func (w *vectorWriter) remove(ctx context.Context, chunk int64) error {
	if w.m.embedder == "" {
		return nil
	}
	if err := w.stopWaiting(ctx, chunk); err != nil {
		return err
	}
	b, err := w.block(ctx, chunk)
	if err == nil && b.Clear(slotOf(chunk)) {
		w.m.vectors--
	}
	return err
}

// cached looks a vector up; one that is not of the index's dimension counts as
// none.
func (w *vectorWriter) cached(ctx context.Context, hash []byte) (packed []byte, ok bool, err error) {
	err = w.row(ctx, []any{&packed}, `SELECT v FROM embeddings WHERE hash=?`, hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err == nil && !w.fits(packed) {
		err = fmt.Errorf("%w: a vector has %d bytes", errBlocks, len(packed))
	}
	return packed, err == nil, err
}

// fits says whether a packed vector has the dimension of the others, or is
// none.
func (w *vectorWriter) fits(packed []byte) bool {
	return len(packed) == 0 || w.m.dimensions == 0 || len(packed) == quantized.Size(w.m.dimensions)
}

// store adds a vector to the cache, unless it is there. The first decides the
// dimension.
func (w *vectorWriter) store(ctx context.Context, e embedding) (added bool, err error) {
	if w.m.dimensions == 0 && len(e.vector) > 0 {
		w.m.dimensions = quantized.Dimensions(e.vector)
		w.signs = quantized.NewSigns(w.m.dimensions)
		clear(w.blocks) // there is none yet, but they were made for 0
	}
	res, err := w.exec(ctx, `INSERT OR IGNORE INTO embeddings(hash, v) VALUES(?,?)`, e.hash, blob(e.vector))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	w.m.cached += n
	return n > 0, err
}

// place puts the bits of a chunk's vector into its block.
func (w *vectorWriter) place(ctx context.Context, chunk int64, packed []byte) error {
	if len(packed) == 0 {
		return nil
	}
	bits, ok := w.signs.OfPacked(packed)
	if !ok {
		return fmt.Errorf("%w: a vector is not as it was written", errBlocks)
	}
	b, err := w.block(ctx, chunk)
	if err == nil && b.Set(slotOf(chunk), bits) {
		w.m.vectors++
	}
	return err
}

func slotOf(chunk int64) int { return int(chunk % quantized.BlockSize) }

// block reads the block of a chunk.
func (w *vectorWriter) block(ctx context.Context, chunk int64) (*quantized.Block, error) {
	id := chunk / quantized.BlockSize
	if b, ok := w.blocks[id]; ok {
		return b, nil
	}
	var raw []byte
	b := quantized.NewBlock(w.signs)
	err := w.row(ctx, []any{&raw}, `SELECT bits FROM blocks WHERE id=?`, id)
	if err == nil {
		b, err = readBlock(w.signs, raw)
	} else if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err == nil {
		w.blocks[id] = b
	}
	return b, err
}

func readBlock(s quantized.Signs, raw []byte) (*quantized.Block, error) {
	b, err := quantized.ReadBlock(s, raw)
	if err != nil {
		err = fmt.Errorf("%w: %w", errBlocks, err)
	}
	return b, err
}

// finish writes the blocks and the counts.
func (w *vectorWriter) finish(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(w.blocks)) {
		var err error
		switch b := w.blocks[id]; {
		case !b.Changed:
		case b.Len() == 0:
			_, err = w.exec(ctx, `DELETE FROM blocks WHERE id=?`, id)
		default:
			_, err = w.exec(ctx, `INSERT OR REPLACE INTO blocks VALUES(?,?)`, id, b.Encode())
		}
		if err != nil {
			return err
		}
	}
	if w.m.cached > 2*w.m.vectors+slackCache {
		if err := w.trim(ctx); err != nil {
			return err
		}
	}
	if w.m == w.was {
		return nil
	}
	return w.m.write(ctx, w.c)
}

// trim drops vectors from the cache that no chunk needs.
func (w *vectorWriter) trim(ctx context.Context) error {
	res, err := w.exec(ctx, `DELETE FROM embeddings WHERE hash NOT IN (SELECT embedding FROM chunks)`)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	w.m.cached -= n
	return err
}
