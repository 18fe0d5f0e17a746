package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/bits"
	"slices"
)

// bitHit is a chunk and in how many bits its vector differs from a query's.
type bitHit struct {
	chunk    int64
	distance int
}

// bitHits keeps the n chunks that differ least. Of equals at the end the
// newest are kept.
type bitHits struct {
	n     int
	limit int   // distance above which nothing can be among the n any more
	at    []int // how many of each distance were added, up to limit
	sum   int   // of them
	hits  []bitHit
}

// newBitHits is for distances of at most most.
func newBitHits(n, most int) *bitHits {
	return &bitHits{n: n, limit: most, at: make([]int, most+1), hits: make([]bitHit, 0, 4*n)}
}

func (b *bitHits) add(chunk int64, distance int) {
	if distance > b.limit {
		return
	}
	if len(b.hits) == cap(b.hits) {
		b.hits = slices.DeleteFunc(b.hits, func(h bitHit) bool { return h.distance > b.limit })
	}
	b.hits = append(b.hits, bitHit{chunk, distance})
	b.at[distance]++
	for b.sum++; b.sum-b.at[b.limit] >= b.n; b.limit-- {
		b.sum -= b.at[b.limit]
	}
}

// chunks returns the ids kept, nearest first.
func (b *bitHits) chunks() []int64 {
	slices.SortFunc(b.hits, func(x, y bitHit) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(y.chunk, x.chunk))
	})
	ids := make([]int64, min(b.n, len(b.hits)))
	for i := range ids {
		ids[i] = b.hits[i].chunk
	}
	return ids
}

// scanBits returns up to n chunks whose bits are nearest to q, of those in
// only unless that is nil. vectors is how many there must be in all. Blocks are read from
// the database each time: at 100,000 chunks of 256 dimensions they are 3.3 MB.
func scanBits(ctx context.Context, c *sql.Conn, q []uint64, n int, vectors int64, only map[int64]bool) ([]int64, error) {
	rows, err := c.QueryContext(ctx, `SELECT id, bits FROM blocks`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	best := newBitHits(n, 64*len(q))
	b := block{words: len(q)}
	var raw sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &raw); err != nil {
			return nil, err
		}
		if err := b.decode(raw); err != nil {
			return nil, err
		}
		vectors -= int64(len(b.bits) / b.words)
		b.compare(q, func(slot, distance int) {
			if chunk := id*blockSize + int64(slot); only == nil || only[chunk] {
				best.add(chunk, distance)
			}
		})
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if vectors != 0 {
		return nil, fmt.Errorf("%w: %d are missing in the blocks", errBlocks, vectors)
	}
	return best.chunks(), nil
}

// compare yields each slot and in how many bits it differs from q.
func (b *block) compare(q []uint64, yield func(slot, distance int)) {
	rest := b.bits
	for slot := range b.slots() {
		yield(slot, differing(rest, q))
		rest = rest[len(q):]
	}
}

// differing counts the bits in which v begins otherwise than q.
func differing(v, q []uint64) int {
	if len(q) == 4 { // of 256 dimensions and fewer
		v, q := (*[4]uint64)(v), (*[4]uint64)(q)
		return bits.OnesCount64(v[0]^q[0]) + bits.OnesCount64(v[1]^q[1]) + bits.OnesCount64(v[2]^q[2]) + bits.OnesCount64(v[3]^q[3])
	}
	d := 0
	for i, w := range v[:len(q)] {
		d += bits.OnesCount64(w ^ q[i])
	}
	return d
}
