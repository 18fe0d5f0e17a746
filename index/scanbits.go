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
	estimate float32 // of their cosine, see bitQuery
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

func (b *bitHits) add(h bitHit) {
	if h.distance > b.limit {
		return
	}
	if len(b.hits) == cap(b.hits) {
		b.prune()
	}
	b.hits = append(b.hits, h)
	b.at[h.distance]++
	for b.sum++; b.sum-b.at[b.limit] >= b.n; b.limit-- {
		b.sum -= b.at[b.limit]
	}
}

func (b *bitHits) prune() {
	b.hits = slices.DeleteFunc(b.hits, func(h bitHit) bool { return h.distance > b.limit })
}

// nearest returns those kept, nearest first.
func (b *bitHits) nearest() []bitHit {
	b.prune()
	slices.SortFunc(b.hits, func(x, y bitHit) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(y.chunk, x.chunk))
	})
	return b.hits[:min(b.n, len(b.hits))]
}

// likeliest returns the ids of the m chunks with the highest estimates.
func likeliest(hits []bitHit, m int) []int64 {
	slices.SortFunc(hits, func(x, y bitHit) int {
		return cmp.Or(cmp.Compare(y.estimate, x.estimate), cmp.Compare(y.chunk, x.chunk))
	})
	ids := make([]int64, min(m, len(hits)))
	for i := range ids {
		ids[i] = hits[i].chunk
	}
	return ids
}

// bitQuery compares a query's vector with the bits of others.
type bitQuery struct {
	bits []uint64
	adds [][256]float32 // what each byte of the bits adds to the estimate
}

// newBitQuery takes a turned vector. The estimate of a cosine is the sum of
// the query's numbers, each with the sign that the bit stands for: it knows
// which bits of the query tell more (R. Guo and others, "Accelerating
// large-scale inference with anisotropic vector quantization", 2020, calls
// the like asymmetric).
func newBitQuery(turned []float32) bitQuery {
	q := bitQuery{bits: bitsOf(turned), adds: make([][256]float32, len(turned)/8)}
	for i := range q.adds {
		numbers := turned[8*i:][:8]
		for v := range q.adds[i] {
			for bit, x := range numbers {
				if v>>bit&1 == 0 {
					x = -x
				}
				q.adds[i][v] += x
			}
		}
	}
	return q
}

// estimate tells vectors apart that differ from the query in as many bits.
func (q bitQuery) estimate(bits []uint64) (sum float32) {
	for i := range q.adds {
		sum += q.adds[i][byte(bits[i/8]>>(8*(i%8)))]
	}
	return sum
}

// scanBits returns up to n chunks whose bits are nearest to q's, of those in
// only unless that is nil. vectors is how many there must be in all. Blocks are read from
// the database each time: at 100,000 chunks of 256 dimensions they are 3.3 MB.
func scanBits(ctx context.Context, c *sql.Conn, q bitQuery, n int, vectors int64, only map[int64]bool) ([]bitHit, error) {
	rows, err := c.QueryContext(ctx, `SELECT id, bits FROM blocks`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	best := newBitHits(n, 64*len(q.bits))
	b := block{words: len(q.bits)}
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
		for slot, v := range b.vectors() {
			chunk := id*blockSize + int64(slot)
			if d := differing(v, q.bits); d <= best.limit && (only == nil || only[chunk]) {
				best.add(bitHit{chunk, d, q.estimate(v)})
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if vectors != 0 {
		return nil, fmt.Errorf("%w: %d are missing in the blocks", errBlocks, vectors)
	}
	return best.nearest(), nil
}

// differing counts the bits in which v and q, of one length, differ.
func differing(v, q []uint64) int {
	if len(q) == 4 { // of 256 dimensions and fewer
		v, q := (*[4]uint64)(v), (*[4]uint64)(q)
		return bits.OnesCount64(v[0]^q[0]) + bits.OnesCount64(v[1]^q[1]) + bits.OnesCount64(v[2]^q[2]) + bits.OnesCount64(v[3]^q[3])
	}
	d := 0
	for i, w := range v {
		d += bits.OnesCount64(w ^ q[i])
	}
	return d
}
