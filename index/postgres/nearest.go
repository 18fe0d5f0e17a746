package postgres

import (
	"fmt"
	"sync"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// Nearest compares the bits of all vectors, which the process keeps in memory.
func (v *view) Nearest(q []float32, n int, f store.Filter) []store.Neighbour {
	m := v.Vectors()
	if m.Embedder != v.s.o.Embedder {
		return nil
	}
	return store.NearestByBits(v, m, q, n, f)
}

// comparable are the indexes whose vectors the embedder made.
func (v *view) comparable() (ids []int) {
	for _, m := range v.live {
		if m.vectors.Embedder == v.s.o.Embedder {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// signatures are blocks that the process has read, of the indexes that it reads: 34 bytes
// a vector of 256 dimensions.
type signatures struct {
	sync.Mutex
	blocks map[int64]signature
}

type signature struct {
	edition int64
	bits    []byte
}

// Blocks gives f the bits of all vectors. Blocks that changed since are read again.
func (v *view) Blocks(f func(id int64, bits []byte) error) {
	now := map[int64]signature{}
	var changed []int64
	v.s.signatures.Lock()
	before := v.s.signatures.blocks
	v.s.signatures.Unlock()
	v.each(func(scan func(...any) error) error {
		var at, edition int64
		err := scan(&at, &edition)
		if known, ok := before[at]; ok && known.edition == edition {
			now[at] = known
		} else {
			changed = append(changed, at)
		}
		return err
	}, `SELECT block, edition FROM `+v.table("signatures")+` WHERE index=ANY($1)`, v.comparable())
	if len(changed) > 0 {
		v.each(func(scan func(...any) error) error {
			var at int64
			var s signature
			err := scan(&at, &s.edition, &s.bits)
			now[at] = s
			return err
		}, `SELECT block, edition, bits FROM `+v.table("signatures")+` WHERE index=ANY($1) AND block=ANY($2)`, v.comparable(), changed)
	}
	if v.err != nil {
		return
	}
	v.s.signatures.Lock()
	v.s.signatures.blocks = now
	v.s.signatures.Unlock()
	for at, s := range now {
		if err := f(at, s.bits); err != nil {
			v.Fail(err)
			return
		}
	}
}

// AllPassing are all chunks that pass a filter.
func (v *view) AllPassing(filtered store.Filter) map[int64]bool {
	f := filterOf(filtered, v.comparable())
	set := map[int64]bool{}
	for _, id := range listOf[int64](v, `SELECT c.id FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file
		WHERE c.index=ANY($1) AND `+f.sql(), f.args...) {
		set[id] = true
	}
	return set
}

// Compare reads the vectors of chunks that the blocks name.
func (v *view) Compare(q []float32, ids []int64, filtered store.Filter) (found []store.Neighbour) {
	if len(ids) == 0 {
		return nil
	}
	f := filterOf(filtered, v.comparable(), ids)
	seen := 0
	v.each(func(scan func(...any) error) error {
		var k store.Neighbour
		var passes bool
		var packed []byte
		if err := scan(&k.ID, &k.Date, &k.Key, &packed, &passes); err != nil {
			return err
		}
		if len(packed) != quantized.Size(len(q)) {
			return fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(packed))
		}
		if seen++; passes {
			k.Cosine = quantized.Cosine(q, packed)
			found = append(found, k)
		}
		return nil
	}, `SELECT c.id, coalesce(c.date, 0), c.key, e.v, `+f.sql()+` FROM `+v.table("chunks")+` c
		JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file JOIN `+v.table("vectors")+` e ON e.index=c.index AND e.hash=c.hash
		WHERE c.index=ANY($1) AND c.id=ANY($2)`, f.args...)
	if seen != len(ids) {
		v.Fail(fmt.Errorf("%w: %d of %d are of texts that are not there", store.ErrVectors, len(ids)-seen, len(ids)))
	}
	return found
}
