package store

import (
	"cmp"
	"fmt"
	"slices"

	"agentflow/index/quantized"
)

// How many of the nearest documents by bits are compared by their vectors, at
// least. The number is higher with a filter, which removes some of them, and in
// a large index.
const (
	compared         = 100
	comparedFiltered = 800
	comparedShare    = 2500 // one in this many documents
)

// Signatures is the part of a read transaction that NearestByBits uses.
type Signatures interface {
	Failing
	// Blocks calls f with the bits of all vectors, one block at a time. A block
	// covers the documents id*quantized.BlockSize and following. f must not
	// keep the bits.
	Blocks(f func(id int64, bits []byte) error)
	// Compare reads the vectors of documents that the blocks name, and returns
	// those that pass the filter. A document that does not exist or has no
	// vector contradicts the blocks.
	Compare(q []float32, ids []int64, f Filter) []Neighbour
	// AllPassing returns all documents that pass a filter.
	AllPassing(f Filter) map[int64]bool
}

// NearestByBits implements View.Nearest for a store that keeps one bit for each
// number of a vector. It compares the bits of all vectors first, and then the
// vectors of the nearest ones. A filter costs no hits: if too few of the
// nearest pass it, NearestByBits compares all documents that pass. ErrVectors
// means that the bits have to be rebuilt.
func NearestByBits(s Signatures, m Vectors, q []float32, n int, f Filter) []Neighbour {
	if s.Err() != nil || m.Number == 0 || n <= 0 {
		return nil
	}
	if err := quantized.Check(q, m.Dimensions); err != nil {
		s.Fail(fmt.Errorf("a query: %w", err))
		return nil
	}
	most, enough := max(compared, 2*n, int(m.Number)/comparedShare), n
	if !f.None() { // the more it removes, the less the nearest by bits predict the nearest that pass
		most, enough = max(comparedFiltered, 10*most), 2*n
	}
	near := scanBits(s, q, most, m, nil)
	found := s.Compare(q, near, f)
	if len(found) < enough && len(near) == most {
		found = s.Compare(q, scanBits(s, q, most, m, s.AllPassing(f)), Filter{})
	}
	return FirstOf(found, n)
}

// scanBits returns up to most documents with bits nearest to q, only from the
// documents in only unless that is nil. At 100,000 documents of 256 dimensions
// the blocks take 3.3 MB.
func scanBits(s Signatures, q []float32, most int, m Vectors, only map[int64]bool) []int64 {
	signs := quantized.NewSigns(m.Dimensions)
	query := signs.Query(q)
	best := quantized.Best{Most: most}
	missing := m.Number
	s.Blocks(func(id int64, bits []byte) error {
		b, err := quantized.ReadBlock(signs, bits)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrVectors, err)
		}
		missing -= int64(b.Len())
		for slot, bits := range b.All() {
			if chunk := id*quantized.BlockSize + int64(slot); only == nil || only[chunk] {
				best.Add(quantized.Hit{Chunk: chunk, Estimate: query.Estimate(bits)})
			}
		}
		return nil
	})
	if missing != 0 {
		s.Fail(fmt.Errorf("%w: %d are missing in the blocks", ErrVectors, missing))
	}
	ids := make([]int64, len(best.Hits))
	for i, h := range best.Hits {
		ids[i] = h.Chunk
	}
	return ids
}

// FirstOf sorts the result of View.Nearest and returns the first n. The order
// of equal neighbours does not depend on the order in which the index was
// filled.
func FirstOf(found []Neighbour, n int) []Neighbour {
	slices.SortFunc(found, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.Date, a.Date), cmp.Compare(a.Key, b.Key), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(n, len(found))]
}
