package index

import (
	"cmp"
	"context"
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
// they have to be repaired.
func (d *DB) nearest(ctx context.Context, c *sql.Conn, q []float32, n int, f filter) ([]neighbour, error) {
	m, err := readVectorMeta(ctx, c)
	if err != nil || m.vectors == 0 || m.embedder != embedderKey(d.o) || n <= 0 {
		return nil, err
	}
	if err := quantized.Check(q, m.dimensions); err != nil {
		return nil, fmt.Errorf("a query: %w", err)
	}
	most, enough := max(compared, 2*n, int(m.vectors)/comparedShare), n
	if !f.none() { // the more it takes, the less the nearest by bits tell of the nearest that pass
		most, enough = max(comparedFiltered, 10*most), 2*n
	}
	hits, err := scanBits(ctx, c, q, most, m, nil)
	if err != nil {
		return nil, err
	}
	found, err := compare(ctx, c, q, hits, f)
	if err != nil || len(found) >= enough || len(hits) < most {
		return firstOf(found, n), err
	}
	passing, err := allPassing(ctx, c, f)
	if err != nil {
		return nil, err
	}
	if hits, err = scanBits(ctx, c, q, most, m, passing); err != nil {
		return nil, err
	}
	found, err = compare(ctx, c, q, hits, filter{})
	return firstOf(found, n), err
}

// scanBits returns up to most chunks whose bits are nearest to q, of those in
// only unless that is nil. Blocks are read from the database each time: at
// 100,000 chunks of 256 dimensions they are 3.3 MB.
func scanBits(ctx context.Context, c *sql.Conn, q []float32, most int, m vectorMeta, only map[int64]bool) ([]int64, error) {
	signs := quantized.NewSigns(m.dimensions)
	query := signs.Query(q)
	best := quantized.Best{Most: most}
	missing := m.vectors
	err := each(ctx, c, func(scan scan) error {
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
	if err == nil && missing != 0 {
		err = fmt.Errorf("%w: %d are missing in the blocks", errBlocks, missing)
	}
	ids := make([]int64, len(best.Hits))
	for i, h := range best.Hits {
		ids[i] = h.Chunk
	}
	return ids, err
}

// allPassing reads which chunks pass the filter; one pass over the table is
// cheaper than looking up each of them.
func allPassing(ctx context.Context, c *sql.Conn, f filter) (map[int64]bool, error) {
	where, args := f.sql()
	ids, err := column[int64](ctx, c, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file WHERE `+where, args...)
	set := make(map[int64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, err
}

// compare reads the vectors of chunks that the blocks name, and returns those
// that pass the filter. A chunk that is not there, or has no vector,
// contradicts the blocks.
func compare(ctx context.Context, c *sql.Conn, q []float32, ids []int64, f filter) (found []neighbour, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	where, args := f.sql()
	from := `chunks c INDEXED BY chunks_meaning` // without the texts there is less to read
	if !f.none() {
		from = `chunks c JOIN files f ON f.id=c.file`
	}
	seen := 0
	err = each(ctx, c, func(scan scan) error {
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
		FROM `+from+` JOIN embeddings e ON e.hash=c.embedding WHERE c.id IN (`+idList(ids)+`)`, args...)
	if err == nil && seen != len(ids) {
		err = fmt.Errorf("%w: %d of %d are of texts that are not there", errBlocks, len(ids)-seen, len(ids))
	}
	return found, err
}

// firstOf sorts and cuts. Equals are ordered by what does not depend on the
// order in which the index was filled.
func firstOf(found []neighbour, n int) []neighbour {
	slices.SortFunc(found, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.date, a.date), cmp.Compare(a.key, b.key), cmp.Compare(b.id, a.id))
	})
	return found[:min(n, len(found))]
}
