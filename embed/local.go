package embed

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"sync"

	"agentflow/internal/words"
)

// localModel holds every constant of the local embedder. Weights are whole
// numbers, so that sums are exact and do not depend on the order. Only their
// ratios matter.
type localModel struct {
	Version    int // of the algorithm: increase it when the code changes the vectors
	Dimensions int

	Word       int // a word, or a part of an identifier
	Identifier int // a camelCase or snake_case name as a whole
	Path       int // a path, or its base name, as a whole
	Bigram     int // two neighbouring characters of a script without spaces
	MinGram    int // characters of the shortest n-gram, including the word's boundary marks
	MaxGram    int // characters of the longest n-gram, at most maxGram
	Gram       [maxGram + 1]int

	TermCount int // a feature counts 1 + ln(n) times, with n at most this
	WordRunes int // a longer word is data (base64, a minified line)
	PathWords int // a longer run of joined words is not a path
	TextBytes int // the rest of a longer text is ignored
}

// maxGram limits the n-grams that have a weight.
const maxGram = 6

var localDefault = localModel{
	Version: 1, Dimensions: 256,
	Word: 16, Identifier: 16, Path: 16, Bigram: 12,
	MinGram: 3, MaxGram: 5, Gram: [maxGram + 1]int{3: 4, 4: 4, 5: 4},
	TermCount: 64, WordRunes: 64, PathWords: 16, TextBytes: 64 << 10,
}

// local embeds words and character n-grams by feature hashing (Weinberger et
// al., "Feature Hashing for Large Scale Multitask Learning", 2009): each
// feature adds its weight, or subtracts it, at a place that its hash
// determines. It needs no model and no state, so any two runs give the same
// bits.
//
// Latent semantics, fitted on the memory itself, were measured in addition and
// as a replacement; docs/notes/lsa.md explains why they are not used.
//
// hit@10paths over five public histories was 0.848 when these variants were
// tried: word vectors (n-grams at a quarter of their weight) lose 0.009,
// n-grams from 4 characters on gain 0.001, 512 dimensions lose 0.006. Features
// from the tokens of package words, instead of a separate scanner, lose 0.001
// to 0.004, and one of 140 questions when memory was consolidated.
type local struct {
	model    localModel
	identity string
	counts   []float64 // counts[n] is the weight of n occurrences
	scratch  sync.Pool // of *sketch
}

func newLocal(m localModel) *local {
	l := &local{model: m, counts: termCounts(m.TermCount)}
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%+v %s", m, words.Stopwords)
	l.identity = fmt.Sprintf("local/%d/%d/%016x", m.Version, m.Dimensions, sum.Sum64())
	l.scratch.New = func() any { return newSketch(l) }
	return l
}

// Info implements Embedder.
func (l *local) Info() Info {
	return Info{Identity: l.identity, Dimensions: l.model.Dimensions, Inline: true, Spelling: true, Batch: batchLocal, Weight: weightLocal}
}

// Embed implements Embedder. It embeds documents and queries in the same way.
func (l *local) Embed(ctx context.Context, _ Role, texts []string) ([][]float32, error) {
	s := l.scratch.Get().(*sketch)
	defer l.scratch.Put(s)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed %d texts with local: %w", len(texts), err)
		}
		out[i] = s.vector(text)
	}
	return out, nil
}

// sketch is the working memory for one text: it counts features in an
// open-addressed table, so that n-grams need no strings.
type sketch struct {
	*local
	table []feature // length is a power of two; never more than half full
	used  int
	sum   []float64
	low   []rune // the current word in lower case, between boundary marks
	path  path
}

// feature is a word or n-gram that occurred count times; count 0 marks a free
// place.
type feature struct {
	hash   uint64
	weight int32
	count  int32
}

// A table of up to keptTable places is reused for the next text.
const (
	smallTable = 512
	keptTable  = 1 << 15
)

func newSketch(l *local) *sketch {
	return &sketch{local: l, sum: make([]float64, l.model.Dimensions)}
}

// vector returns the unit vector of text, or nil if it has no word.
func (s *sketch) vector(text string) []float32 {
	text = s.cut(text)
	s.reset(len(text))
	s.scan(words.Fold(text))
	clear(s.sum)
	for _, f := range s.table {
		if f.count > 0 {
			s.project(f)
		}
	}
	v, err := unit(s.sum)
	if err != nil {
		return nil // no features, or features that cancel out
	}
	return v
}

// cut limits the work for one text. Folding removes a character that was cut in
// the middle.
func (s *sketch) cut(text string) string {
	return text[:min(len(text), s.model.TextBytes)]
}

// reset empties the table and makes it large enough for the features of n bytes
// of plain text.
func (s *sketch) reset(n int) {
	size := max(smallTable, 1<<bits.Len(uint(4*n)))
	if cap(s.table) < size || cap(s.table) > keptTable {
		s.table = make([]feature, size)
	} else {
		s.table = s.table[:size]
		clear(s.table)
	}
	s.used = 0
	s.path = path{}
}

// add counts one feature.
func (s *sketch) add(hash uint64, weight int) {
	if weight == 0 {
		return
	}
	if 2*s.used >= len(s.table) {
		s.grow()
	}
	f := s.find(hash)
	if f.count == 0 {
		s.used++
		f.hash, f.weight = hash, int32(weight)
	}
	f.count++
}

// find returns the place of hash, or the free place for it.
func (s *sketch) find(hash uint64) *feature {
	mask := uint64(len(s.table) - 1)
	for i := hash >> 8 & mask; ; i = (i + 1) & mask {
		if f := &s.table[i]; f.count == 0 || f.hash == hash {
			return f
		}
	}
}

func (s *sketch) grow() {
	old := s.table
	s.table = make([]feature, 2*len(old))
	for _, f := range old {
		if f.count > 0 {
			*s.find(f.hash) = f
		}
	}
}

// project adds a feature to the vector: the upper half of its hash selects the
// place, the lowest bit the sign. Every term is a whole number, so the order of
// the features does not matter.
func (s *sketch) project(f feature) {
	x := float64(f.weight) * s.counts[min(int(f.count), len(s.counts)-1)]
	if f.hash&1 == 0 {
		x = -x
	}
	at := f.hash >> 32 * uint64(len(s.sum)) >> 32
	s.sum[at] += x
}

// termCounts returns 1 + ln(n) for n up to most, as whole 256ths, rounded so
// that the result does not depend on a machine's logarithm.
func termCounts(most int) []float64 {
	counts := make([]float64, most+1)
	for n := 1; n <= most; n++ {
		counts[n] = math.Round(256 * (1 + math.Log(float64(n))))
	}
	return counts
}
