package sqlite

import (
	"bytes"
	"fmt"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// Waiting returns the chunks to embed next, and the number of all that wait.
func (v *view) Waiting(most func(refused int) int) (list []store.Waiting, all int) {
	var refused int
	v.one([]any{&all, &refused}, `SELECT count(*), coalesce(min(refused), 0) FROM pending`)
	v.each(func(scan scan) error {
		w := store.Waiting{Refused: refused}
		err := scan(&w.ID, &w.Hash, &w.Text, &w.Cached)
		list = append(list, w)
		return err
	}, `SELECT p.chunk, p.hash, p.text,
			EXISTS (SELECT 1 FROM embeddings e WHERE e.hash=p.hash) FROM pending p JOIN chunks c ON c.id=p.chunk
		WHERE p.refused=? ORDER BY p.chunk DESC LIMIT ?`, refused, most(refused))
	return list, all
}

// Complete stores the vector of a chunk, unless the chunk changed meanwhile.
func (w *writer) Complete(k store.Waiting) bool {
	if w.vectors.m.Embedder != w.key {
		return false
	}
	if !w.vectors.fits(k.Packed) {
		w.Fail(fmt.Errorf("%w: %d dimensions instead of %d", quantized.ErrVector, quantized.Dimensions(k.Packed), w.vectors.m.Dimensions))
		return false
	}
	var hash []byte
	if !w.row([]any{&hash}, `SELECT p.hash FROM pending p JOIN chunks c ON c.id=p.chunk WHERE p.chunk=?`, k.ID) || !bytes.Equal(hash, k.Hash) {
		return false
	}
	w.vectors.stopWaiting(k.ID)
	e := store.Embedding{Text: k.Text, Hash: k.Hash, Vector: k.Packed, Made: true}
	v := w.vectors.take(e, w.key)
	w.exec(`UPDATE chunks SET embedding=? WHERE id=?`, v.id, k.ID)
	w.vectors.add(k.ID, v, e)
	return true
}

// Refuse records that one of several texts was refused.
func (w *writer) Refuse(list []store.Waiting) {
	for _, k := range list {
		w.exec(`UPDATE pending SET refused=refused+1 WHERE chunk=?`, k.ID)
	}
}
