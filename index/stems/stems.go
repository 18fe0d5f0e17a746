// Package stems stores the stems of a text as sorted 32-bit hashes, from which
// it is cheap to see which words of a query a text holds and how many texts
// hold a word. It is pure.
package stems

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// Hash returns the FNV-1a hash of a stem. Among 100,000 stems a few share a
// hash, which costs a little precision of IDF and nothing else.
func Hash(stem string) uint32 {
	h := uint32(2166136261)
	for i := range len(stem) {
		h = (h ^ uint32(stem[i])) * 16777619
	}
	return h
}

// OfPath returns the hash of a whole path. No word has the same input, because
// words contain no NUL.
func OfPath(path string) uint32 { return Hash("\x00" + path) }

// OfEntry marks every entry with paths, as a hash.
var OfEntry = OfPath("")

// Set collects stems.
type Set struct{ hashes []uint32 }

// Grow makes room for the stems of n bytes of text.
func (s *Set) Grow(n int) { s.hashes = slices.Grow(s.hashes, n/5) }

// Add adds one stem.
func (s *Set) Add(hash uint32) { s.hashes = append(s.hashes, hash) }

// Text adds the stems of a text and returns them separated by spaces.
func (s *Set) Text(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i, token := range words.Tokenize(text) {
		if i > 0 {
			b.WriteByte(' ')
		}
		stem := words.Stem(token.Text)
		b.WriteString(stem)
		s.Add(Hash(stem))
	}
	return b.String()
}

// Pack returns the set as sorted little-endian hashes.
func (s *Set) Pack() []byte {
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	b := make([]byte, 0, 4*len(s.hashes))
	for _, h := range s.hashes {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	return b
}

// Of returns the packed set of a text.
func Of(text string) []byte {
	var s Set
	s.Text(text)
	return s.Pack()
}

// All yields the stems of a packed set.
func All(packed []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; len(packed) >= 4; packed = packed[4:] {
			if !yield(binary.LittleEndian.Uint32(packed)) {
				return
			}
		}
	}
}

// Has reports whether a packed set holds a stem.
func Has(packed []byte, hash uint32) bool {
	_, ok := search(packed, 4, hash)
	return ok
}

// search finds a hash in sorted records of one size that each begin with a
// hash.
func search(records []byte, size int, hash uint32) (at int, ok bool) {
	lo, hi := 0, len(records)/size
	for lo < hi {
		mid := (lo + hi) / 2
		switch v := binary.LittleEndian.Uint32(records[size*mid:]); {
		case v == hash:
			return size * mid, true
		case v < hash:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return size * lo, false
}
