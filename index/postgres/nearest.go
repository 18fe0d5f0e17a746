package postgres

import (
	"fmt"
	"sync"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// Nearest uses pgvector's index if there is one. It compares the bits of all
// vectors, which the process keeps in memory, if there is none or if a filter
// leaves too few of the index's results.
func (v *view) Nearest(q []float32, n int, f store.Filter) []store.Neighbour {
	m := v.Vectors()
	if m.Embedder != v.s.o.Embedder {
		return nil
	}
	if found, ok := v.nearestByIndex(q, n, f); ok {
		return found
	}
	return store.NearestByBits(v, m, q, n, f)
}

const (
	probes = 10 // lists that a search by the index reads
	spare  = 10 // extra candidates, because some vectors no longer belong to a text
)

// nearestByIndex implements Nearest with pgvector's index. ok is false if there
// is no index, or if the filter leaves too few candidates to be sure that no
// nearer ones pass.
func (v *view) nearestByIndex(q []float32, n int, filtered store.Filter) (found []store.Neighbour, ok bool) {
	if v.err != nil || len(v.live) != 1 || v.live[0].pgvector == "" || len(q) != v.live[0].vectors.Dimensions {
		return nil, false
	}
	m := &v.live[0]
	most, enough := n+spare, n
	if !filtered.None() {
		most, enough = 10*n, 2*n
	}
	f := filterOf(filtered, q, m.id)
	v.asked(fmt.Sprintf(`SET LOCAL ivfflat.probes=%d`, probes))
	v.each(func(scan func(...any) error) error {
		var k store.Neighbour
		var packed []byte
		err := scan(&k.ID, &k.Date, &k.Key, &packed)
		if err == nil {
			k.Cosine = quantized.Cosine(q, packed)
			found = append(found, k)
		}
		return err
	}, fmt.Sprintf(`WITH e AS MATERIALIZED (SELECT hash, v FROM %[1]s WHERE length(v)=%[2]d ORDER BY %[3]s OPERATOR(%[4]s.<=>) $1::real[]::%[4]s.halfvec(%[5]d) LIMIT %[6]d)
		SELECT c.id, coalesce(c.date, 0), c.key, e.v FROM e JOIN %[7]s c ON c.index=$2 AND c.hash=e.hash JOIN %[8]s f ON f.index=c.index AND f.id=c.file WHERE `,
		m.table("vectors"), quantized.Size(len(q)), m.indexed(m.pgvector), m.pgvector, len(q), most, m.table("chunks"), m.table("files"))+f.sql(), f.args...)
	if v.err != nil || len(found) < min(enough, int(m.vectors.Number)) {
		return nil, false
	}
	return store.FirstOf(found, n), true
}

// asked runs a statement that returns no rows.
func (v *view) asked(statement string) {
	if v.err == nil {
		_, err := v.tx.Exec(v.ctx, statement)
		v.Fail(err)
	}
}

// comparable returns the ids of the indexes with vectors of this embedder.
func (v *view) comparable() (ids []int) {
	for _, m := range v.live {
		if m.vectors.Embedder == v.s.o.Embedder {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// signatures caches the blocks that the process has read: 34 bytes per vector
// of 256 dimensions.
type signatures struct {
	sync.Mutex
	blocks map[int64]signature
}

type signature struct {
	edition int64
	bits    []byte
}

// Blocks calls f with the bits of all vectors. It reads blocks again that
// changed since the last call.
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

// AllPassing returns all chunks that pass a filter.
func (v *view) AllPassing(filtered store.Filter) map[int64]bool {
	f := filterOf(filtered, v.comparable())
	set := map[int64]bool{}
	for _, id := range listOf[int64](v, `SELECT c.id FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file
		WHERE c.index=ANY($1) AND `+f.sql(), f.args...) {
		set[id] = true
	}
	return set
}

// Compare reads the vectors of chunks and returns their cosines, for those that
// pass the filter.
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
