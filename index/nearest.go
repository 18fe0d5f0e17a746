package index

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"

	"agentflow/index/quantized"
)

type neighbour struct {
	id     int64
	cosine float64 // -1 to 1
	date   int64   // Unix seconds; 0 when undated
	key    int64   // of the chunk's contents
}

// Of how many of the nearest by bits the vectors are read and compared, at
// least: more where a filter takes some away, and in a large index.
const (
	compared         = 100
	comparedFiltered = 800
	comparedShare    = 2500 // one of so many
)

// nearest returns up to n chunks that pass the filter, of those whose vectors
// have the highest cosine with the unit vector q, best first. A filter costs
// no hits: when too few of the nearest pass it, all that pass are looked at.
// There are none when the vectors are another embedder's. errBlocks means that
// they have to be made anew.
func (d *DB) nearest(s *statements, q []float32, n int, f filter) []neighbour {
	m := s.vectorMeta()
	if s.err != nil || m.vectors == 0 || m.embedder != embedderKey(d.o) || n <= 0 {
		return nil
	}
	if err := quantized.Check(q, m.dimensions); err != nil {
		s.fail(fmt.Errorf("a query: %w", err))
		return nil
	}
	most, enough := max(compared, 2*n, int(m.vectors)/comparedShare), n
	if !f.none() { // the more it takes, the less the nearest by bits tell of the nearest that pass
		most, enough = max(comparedFiltered, 10*most), 2*n
	}
	hits := scanBits(s, q, most, m, nil)
	found := compare(s, q, hits, f)
	if len(found) < enough && len(hits) == most {
		found = compare(s, q, scanBits(s, q, most, m, allPassing(s, f)), filter{})
	}
	return firstOf(found, n)
}

// scanBits returns up to most chunks whose bits are nearest to q, of those in
// only unless that is nil. Blocks are read from the database each time: at
// 100,000 chunks of 256 dimensions they are 3.3 MB.
func scanBits(s *statements, q []float32, most int, m vectorMeta, only map[int64]bool) []int64 {
	signs := quantized.NewSigns(m.dimensions)
	query := signs.Query(q)
	best := quantized.Best{Most: most}
	missing := m.vectors
	s.each(func(scan scan) error {
		var id int64
		var raw sql.RawBytes
		if err := scan(&id, &raw); err != nil {
			return err
		}
		b, err := readBlock(signs, raw)
		if err != nil {
			return err
		}
		missing -= int64(b.Len())
		for slot, bits := range b.All() {
			if chunk := id*quantized.BlockSize + int64(slot); only == nil || only[chunk] {
				best.Add(quantized.Hit{Chunk: chunk, Estimate: query.Estimate(bits)})
			}
		}
		return nil
	}, `SELECT id, bits FROM blocks`)
	if missing != 0 {
		s.fail(fmt.Errorf("%w: %d are missing in the blocks", errBlocks, missing))
	}
	ids := make([]int64, len(best.Hits))
	for i, h := range best.Hits {
		ids[i] = h.Chunk
	}
	return ids
}

// allPassing reads which chunks pass the filter; one pass over the table is
// cheaper than looking up each of them.
func allPassing(s *statements, f filter) map[int64]bool {
	where, args := f.sql()
	set := map[int64]bool{}
	for _, id := range listOf[int64](s, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file WHERE `+where, args...) {
		set[id] = true
	}
	return set
}

// compare reads the vectors of chunks that the blocks name, and returns those
// that pass the filter. A chunk that is not there, or has no vector,
// contradicts the blocks.
func compare(s *statements, q []float32, ids []int64, f filter) (found []neighbour) {
	if len(ids) == 0 {
		return nil
	}
	where, args := f.sql()
	from := `chunks c INDEXED BY chunks_meaning` // there is less to read
	if !f.none() {
		from = `chunks c JOIN files f ON f.id=c.file`
	}
	seen := 0
	s.each(func(scan scan) error {
		var k neighbour
		var passes bool
		var packed sql.RawBytes
		if err := scan(&k.id, &k.date, &k.key, &packed, &passes); err != nil {
			return err
		}
		if len(packed) != quantized.Size(len(q)) {
			return fmt.Errorf("%w: a vector has %d bytes", errBlocks, len(packed))
		}
		seen++
		if passes {
			k.cosine = quantized.Cosine(q, packed)
			found = append(found, k)
		}
		return nil
	}, `SELECT c.id, coalesce(c.date, 0), c.key, e.v, `+where+`
		FROM `+from+` JOIN embeddings e ON e.id=c.embedding WHERE c.id IN (`+idList(ids)+`)`, args...)
	if seen != len(ids) {
		s.fail(fmt.Errorf("%w: %d of %d are of texts that are not there", errBlocks, len(ids)-seen, len(ids)))
	}
	return found
}

// firstOf sorts and cuts. Equals are ordered by what does not depend on the
// order in which the index was filled.
func firstOf(found []neighbour, n int) []neighbour {
	slices.SortFunc(found, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.date, a.date), cmp.Compare(a.key, b.key), cmp.Compare(b.id, a.id))
	})
	return found[:min(n, len(found))]
}
