package files

import (
	"math/bits"
)

// Query is a task as the model sees it.
type Query struct {
	hashes      []uint32
	kind, scope uint32
	maybe       [16]uint64 // a bit for each of the hashes' last ten bits
}

// maxTerms is how many stems of a task count: one bit each.
const maxTerms = 64

// NewQuery makes a Query of a task's first line, which may begin with a type and
// a scope, and of the distinct hashes of its stems.
func NewQuery(title string, hashes []uint32) *Query {
	q := &Query{hashes: hashes[:min(len(hashes), maxTerms)]}
	q.kind, q.scope = opened(title)
	for _, h := range q.hashes {
		q.maybe[h>>6&15] |= 1 << (h & 63)
	}
	return q
}

// Hashes are those of the stems that count.
func (q *Query) Hashes() []uint32 { return q.hashes }

// terms is a set of a query's stems, by their places.
type terms uint64

func (t terms) len() int { return bits.OnesCount64(uint64(t)) }

// first is the place of the first one; the set is not empty.
func (t terms) first() int { return bits.TrailingZeros64(uint64(t)) }

// rest is the set without the first.
func (t terms) rest() terms { return t & (t - 1) }

// held are the stems of the query among some hashes.
func (q *Query) held(list numbers) (t terms) {
	for i := range list.len() {
		h := list.at(i)
		if q.maybe[h>>6&15]&(1<<(h&63)) == 0 {
			continue
		}
		for n, asked := range q.hashes {
			if asked == h {
				t |= 1 << n
			}
		}
	}
	return t
}
