package files

import (
	"math/bits"
)

// Query is a task as the model sees it.
type Query struct {
	text        string
	words       []Word
	kind, scope uint32
	maybe       [16]uint64 // a bit for each of the hashes' last ten bits
}

// maxTerms is how many stems of a task count: one bit each.
const maxTerms = 64

// Word is a word of a task.
type Word struct {
	Text string // lower-cased
	Stem uint32 // hash
}

// NewQuery makes a Query of a task, which may begin with a type and a scope, and
// of its words, each stem once.
func NewQuery(text string, words []Word) *Query {
	q := &Query{text: text, words: words[:min(len(words), maxTerms)]}
	q.kind, q.scope = opened(text)
	for _, w := range q.words {
		q.maybe[w.Stem>>6&15] |= 1 << (w.Stem & 63)
	}
	return q
}

// Hashes returns the hashes of the stems that count.
func (q *Query) Hashes() []uint32 {
	list := make([]uint32, len(q.words))
	for i, w := range q.words {
		list[i] = w.Stem
	}
	return list
}

// terms is a set of a query's stems, by their places.
type terms uint64

func (t terms) len() int { return bits.OnesCount64(uint64(t)) }

// first returns the place of the first term; the set must not be empty.
func (t terms) first() int { return bits.TrailingZeros64(uint64(t)) }

// rest returns the set without its first term.
func (t terms) rest() terms { return t & (t - 1) }

// held returns the stems of the query among some hashes.
func (q *Query) held(list numbers) (t terms) {
	for i := range list.len() {
		h := list.at(i)
		if q.maybe[h>>6&15]&(1<<(h&63)) == 0 {
			continue
		}
		for n, asked := range q.words {
			if asked.Stem == h {
				t |= 1 << n
			}
		}
	}
	return t
}
