package embed

import (
	"math"
	"math/bits"

	"agentflow/internal/words"
)

// sketch is the working memory for one text at a time: its features counted
// in an open-addressed table, so that no n-gram is ever a string.
type sketch struct {
	*local
	table []feature // a power of two long, never more than half full
	used  int
	sum   []float64
	word  []rune // the word being read
	low   []rune // its lower-case form between boundary marks
	path  path
}

// feature is a word or n-gram seen count times; 0 marks a free place.
type feature struct {
	hash   uint64
	weight int32
	count  int32
}

// A table of this size is kept for the next text; a larger one is not.
const (
	smallTable = 512
	keptTable  = 1 << 15
)

func newSketch(l *local) *sketch {
	return &sketch{local: l, sum: make([]float64, l.model.Dimensions)}
}

// vector returns the unit vector of text, nil when no word is in it.
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
		return nil // no feature, or features that cancel out
	}
	return v
}

// cut bounds the work for one text; an end in the middle of a character is
// folded away.
func (s *sketch) cut(text string) string {
	return text[:min(len(text), s.model.TextBytes)]
}

// reset makes the table empty and large enough for what n bytes of plain
// text hold.
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

// find returns the place of hash, or the free one where it belongs.
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

// project adds a feature to the vector: the upper half of its hash says
// where, the lowest bit with which sign. Every term is a whole number, so the
// order of the features does not matter.
func (s *sketch) project(f feature) {
	x := float64(f.weight) * s.counts[min(int(f.count), len(s.counts)-1)]
	if f.hash&1 == 0 {
		x = -x
	}
	at := f.hash >> 32 * uint64(len(s.sum)) >> 32
	s.sum[at] += x
}

// termCounts are 1 + ln(n) for n up to most, in whole 256ths: rounded, so that
// no machine's logarithm shows.
func termCounts(most int) []float64 {
	counts := make([]float64, most+1)
	for n := 1; n <= most; n++ {
		counts[n] = math.Round(256 * (1 + math.Log(float64(n))))
	}
	return counts
}
