package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// vectorWriter keeps vectors in step with chunks inside one write
// transaction. A chunk of an index with an embedder is in one of three states:
// its text waits in pending; or its hash is in embeddings with a vector, and
// the bits of it are in a block; or its hash is there with none.
type vectorWriter struct {
	c      *sql.Conn
	m      vectorMeta
	was    vectorMeta
	signs  signs
	blocks map[int64]*block // those touched, by id

	get, keep, wait, unwait *sql.Stmt
}

// slackCache is how many rows the cache may have beyond two for each chunk with a vector.
const slackCache = 1000

func newVectorWriter(ctx context.Context, c *sql.Conn) (*vectorWriter, error) {
	w := &vectorWriter{c: c, blocks: map[int64]*block{}}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.get, `SELECT v FROM embeddings WHERE hash=?`},
		{&w.keep, `INSERT OR IGNORE INTO embeddings(hash, v) VALUES(?,?)`},
		{&w.wait, `INSERT INTO pending(chunk, text) VALUES(?,?)`},
		{&w.unwait, `DELETE FROM pending WHERE chunk=?`},
	} {
		var err error
		if *p.stmt, err = c.PrepareContext(ctx, p.text); err != nil {
			return nil, err
		}
	}
	var err error
	w.m, err = readVectorMeta(ctx, c)
	w.was = w.m
	w.signs = newSigns(w.m.dimensions)
	return w, err
}

func (w *vectorWriter) close() {
	for _, s := range []*sql.Stmt{w.get, w.keep, w.wait, w.unwait} {
		_ = s.Close()
	}
}

// add gives a new chunk its vector, from e or from the cache, or lets it wait
// for one. key is of the embedder that made e's.
func (w *vectorWriter) add(ctx context.Context, chunk int64, e embedding, key string) error {
	if w.m.embedder == "" {
		return nil
	}
	made := e.made && (key == w.m.embedder || len(e.vector) == 0) && w.fits(e.vector)
	if made && w.was.cached == 0 { // nearly always new: looking first would take longer
		added, err := w.store(ctx, e)
		if err != nil {
			return err
		}
		if added {
			return w.place(ctx, chunk, e.vector, e.bits)
		}
	}
	packed, ok, err := w.cached(ctx, e.hash)
	if err != nil {
		return err
	}
	if ok {
		return w.place(ctx, chunk, packed, nil)
	}
	if !made {
		_, err := w.wait.ExecContext(ctx, chunk, e.text)
		return err
	}
	if _, err := w.store(ctx, e); err != nil {
		return err
	}
	return w.place(ctx, chunk, e.vector, e.bits)
}

// restore lets a chunk that was there and has no bits wait for its vector, or
// finds it: the embedder changed, or something was damaged.
func (w *vectorWriter) restore(ctx context.Context, chunk int64, r *row, key string) error {
	if w.m.embedder == "" {
		return nil
	}
	b, err := w.block(ctx, chunk)
	if err != nil {
		return err
	}
	if _, ok := b.find(slotOf(chunk)); ok {
		return nil
	}
	if _, err := w.unwait.ExecContext(ctx, chunk); err != nil {
		return err
	}
	r.embed()
	return w.add(ctx, chunk, r.embedding, key)
}

// remove forgets the vector of a chunk; the cache may keep it.
func (w *vectorWriter) remove(ctx context.Context, chunk int64) error {
	if w.m.embedder == "" {
		return nil
	}
	if _, err := w.unwait.ExecContext(ctx, chunk); err != nil {
		return err
	}
	b, err := w.block(ctx, chunk)
	if err == nil && b.clear(slotOf(chunk)) {
		w.m.vectors--
	}
	return err
}

// cached looks a vector up; one that is not of the index's dimension counts as
// none.
func (w *vectorWriter) cached(ctx context.Context, hash []byte) (packed []byte, ok bool, err error) {
	err = w.get.QueryRowContext(ctx, hash).Scan(&packed)
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
	return len(packed) == 0 || w.m.dimensions == 0 || len(packed) == scaleSize+w.m.dimensions
}

// store adds a vector to the cache, unless it is there. The first decides the
// dimension.
func (w *vectorWriter) store(ctx context.Context, e embedding) (added bool, err error) {
	if w.m.dimensions == 0 && len(e.vector) > 0 {
		w.m.dimensions = len(e.vector) - scaleSize
		w.signs = newSigns(w.m.dimensions)
		clear(w.blocks) // there is none yet, but they were made for 0
	}
	res, err := w.keep.ExecContext(ctx, e.hash, blob(e.vector))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	w.m.cached += n
	return n > 0, err
}

// place puts the bits of a chunk's vector into its block; nil when they are to
// be made.
func (w *vectorWriter) place(ctx context.Context, chunk int64, packed []byte, bits []uint64) error {
	if len(packed) == 0 {
		return nil
	}
	if bits == nil {
		var ok bool
		if bits, ok = w.signs.ofPacked(packed); !ok {
			return fmt.Errorf("%w: a vector is not as it was written", errBlocks)
		}
	}
	b, err := w.block(ctx, chunk)
	if err == nil && b.set(slotOf(chunk), bits) {
		w.m.vectors++
	}
	return err
}

func slotOf(chunk int64) int { return int(chunk % blockSize) }

// block reads the block of a chunk.
func (w *vectorWriter) block(ctx context.Context, chunk int64) (*block, error) {
	id := chunk / blockSize
	if b, ok := w.blocks[id]; ok {
		return b, nil
	}
	b := &block{words: w.signs.words()}
	var raw []byte
	err := w.c.QueryRowContext(ctx, `SELECT bits FROM blocks WHERE id=?`, id).Scan(&raw)
	if err == nil {
		err = b.decode(raw)
	} else if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err == nil {
		w.blocks[id] = b
	}
	return b, err
}

// finish writes the blocks and the counts.
func (w *vectorWriter) finish(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(w.blocks)) {
		if err := w.writeBlock(ctx, id, w.blocks[id]); err != nil {
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

func (w *vectorWriter) writeBlock(ctx context.Context, id int64, b *block) error {
	if !b.changed {
		return nil
	}
	if len(b.bits) == 0 {
		_, err := w.c.ExecContext(ctx, `DELETE FROM blocks WHERE id=?`, id)
		return err
	}
	_, err := w.c.ExecContext(ctx, `INSERT OR REPLACE INTO blocks VALUES(?,?)`, id, b.encode())
	return err
}

// trim drops what no chunk needs from the cache.
func (w *vectorWriter) trim(ctx context.Context) error {
	res, err := w.c.ExecContext(ctx, `DELETE FROM embeddings WHERE hash NOT IN (SELECT embedding FROM chunks)`)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	w.m.cached -= n
	return err
}
