package sqlite

import (
	"database/sql"
	"fmt"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// Nearest compares the bits of all vectors, which it reads each time.
func (v *view) Nearest(q []float32, n int, f store.Filter) []store.Neighbour {
	m := v.Vectors()
	if m.Embedder != v.h.o.Embedder {
		return nil
	}
	return store.NearestByBits(v, m, q, n, f)
}

// Blocks reads the bits of all vectors.
func (v *view) Blocks(f func(id int64, bits []byte) error) {
	v.each(func(scan scan) error {
		var id int64
		var raw sql.RawBytes
		if err := scan(&id, &raw); err != nil {
			return err
		}
		return f(id, raw)
	}, `SELECT id, bits FROM blocks`)
}

// AllPassing returns all chunks that pass. One pass over the table is cheaper
// than looking up each chunk.
func (v *view) AllPassing(f store.Filter) map[int64]bool {
	where, args := filterOf(f).sql()
	set := map[int64]bool{}
	for _, id := range listOf[int64](v.statements, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file WHERE `+where, args...) {
		set[id] = true
	}
	return set
}

// Compare reads the vectors of chunks and returns their cosines, for those that
// pass the filter.
func (v *view) Compare(q []float32, ids []int64, f store.Filter) (found []store.Neighbour) {
	if len(ids) == 0 {
		return nil
	}
	where, args := filterOf(f).sql()
	from := `chunks c INDEXED BY chunks_meaning` // an index with fewer bytes to read
	if !f.None() {
		from = `chunks c JOIN files f ON f.id=c.file`
	}
	seen := 0
	v.each(func(scan scan) error {
		var k store.Neighbour
		var passes bool
		var packed sql.RawBytes
		if err := scan(&k.ID, &k.Date, &k.Key, &packed, &passes); err != nil {
			return err
		}
		if len(packed) != quantized.Size(len(q)) {
			return fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(packed))
		}
		seen++
		if passes {
			k.Cosine = quantized.Cosine(q, packed)
			found = append(found, k)
		}
		return nil
	}, `SELECT c.id, coalesce(c.date, 0), c.key, e.v, `+where+`
		FROM `+from+` JOIN embeddings e ON e.id=c.embedding WHERE c.id IN (`+idList(ids)+`)`, args...)
	if seen != len(ids) {
		v.Fail(fmt.Errorf("%w: %d of %d are of texts that are not there", store.ErrVectors, len(ids)-seen, len(ids)))
	}
	return found
}
