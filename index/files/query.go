package files

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"agentflow/index/contents"
	"agentflow/index/question"
)

// Query is a task as the model sees it.
type Query struct {
	text        string
	words       []word
	kind, scope uint32
	named       *question.Question
	maybe       [16]uint64 // a bit for each of the hashes' last ten bits
}

// word is a word of the task that counts.
type word struct {
	question.Word
	weight float64
}

// namedWorth multiplies the worth of a name.
const namedWorth = 1.5

// maxTerms limits the counted stems of a task: one bit each.
const maxTerms = 64

// NewQuery makes a Query of a task, which may begin with a type and a scope. Of its words those
// that worth puts first count; worth returns how telling a word is.
func NewQuery(text string, read *question.Question, worth func(question.Word) float64) *Query {
	q := &Query{text: text, named: read}
	q.kind, q.scope = opened(text)
	for _, w := range read.Words {
		q.words = append(q.words, word{w, w.Weight()})
	}
	if len(q.words) > maxTerms {
		q.choose(worth)
	}
	for _, w := range q.words {
		q.maybe[w.Stem>>6&15] |= 1 << (w.Stem & 63)
	}
	return q
}

// choose keeps the words with the most worth, in the order of the text.
func (q *Query) choose(worth func(question.Word) float64) {
	type ranked struct {
		word
		at    int
		worth float64
	}
	list := make([]ranked, len(q.words))
	for i, w := range q.words {
		list[i] = ranked{w, i, w.weight * worth(w.Word)}
		if w.Named {
			list[i].worth *= namedWorth
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.worth, a.worth) })
	list = list[:maxTerms]
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Compare(a.at, b.at) })
	q.words = q.words[:0]
	for _, r := range list {
		q.words = append(q.words, r.word)
	}
}

// Asked are the hashes by which the contents of files are asked: the words of a task, and then its
// names. See contents.Find.
func Asked(read *question.Question) []uint32 {
	var list []uint32
	for _, w := range Words(read) {
		list = append(list, w.Stem)
	}
	for _, s := range read.Symbols {
		list = append(list, contents.OfSymbol(strings.Trim(s.Text, "_")))
	}
	for _, p := range read.Paths {
		list = append(list, contents.OfBase(p.Parts[len(p.Parts)-1]))
	}
	for _, m := range read.Modules {
		for _, part := range m {
			list = append(list, contents.OfModule(part))
		}
	}
	return list
}

// Words returns the words of a task that Asked begins with.
func Words(read *question.Question) []question.Word {
	return read.Words[:min(len(read.Words), maxAsked)]
}

// maxAsked limits the words of a task looked up in the contents of files.
const maxAsked = 400

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
