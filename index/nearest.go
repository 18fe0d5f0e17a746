package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// neighbour is a chunk near a query in meaning.
type neighbour struct {
	id     int64
	cosine float64 // -1 to 1
	date   int64   // Unix seconds; 0 when undated
	key    int64   // of the chunk's contents
}

// nearBits is how many of the nearest by bits are looked at more closely, at
// least. Measured with the local embedder, 256 dimensions, on 100,000 texts
// of real commits: of the ten nearest by float vectors 0.988 are among the
// first 100 by bits, 0.992 of 200, 0.995 of 400, 1.000 of 800.
const nearBits = 800

// nearBitsShare is that more are looked at in a large index, one of so many:
// with 400 of 1,000,000 clustered vectors recall was 0.84.
const nearBitsShare = 500

// rescored is which part of these, those with the best estimates, is compared
// by the vectors, which have to be read. Of the ten nearest of 10,000
// clustered vectors 0.940 are found so, 0.955 when a fifth is compared; of
// 100,000 0.985 either way. Histories (see DefaultRanking) lose nothing by it.
const rescored = 8

// nearest returns up to n chunks that pass the filter, of those whose vectors
// have the highest cosine with the unit vector q, best first. A filter costs
// no hits: when too few of the nearest pass it, all that pass are looked at.
// There are none when the vectors are another embedder's. errBlocks means that
// they have to be mended.
func (d *DB) nearest(ctx context.Context, c *sql.Conn, q []float32, n int, f filter) ([]neighbour, error) {
	m, err := readVectorMeta(ctx, c)
	if err != nil || m.vectors == 0 || m.embedder != embedderKey(d.o) || n <= 0 {
		return nil, err
	}
	if err := checkVector(q, m.dimensions); err != nil {
		return nil, fmt.Errorf("a query: %w", err)
	}
	look := max(nearBits, 4*n, int(m.vectors)/nearBitsShare)
	closely, enough := look/rescored, n
	if !f.none() { // the more it takes, the less the nearest by bits tell of the nearest that pass
		closely, enough = look, 2*n
	}
	bits := newBitQuery(newSigns(m.dimensions).turn(q))
	hits, err := scanBits(ctx, c, bits, look, m.vectors, nil)
	if err != nil {
		return nil, err
	}
	found, err := rescore(ctx, c, q, likeliest(hits, closely), f)
	if err != nil || len(found) >= enough || len(hits) < look {
		return firstOf(found, n), err
	}
	passing, err := allPassing(ctx, c, f)
	if err != nil {
		return nil, err
	}
	if hits, err = scanBits(ctx, c, bits, look, m.vectors, passing); err != nil {
		return nil, err
	}
	found, err = rescore(ctx, c, q, likeliest(hits, closely), filter{})
	return firstOf(found, n), err
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

// rescore compares chunks that the blocks name, and returns those that pass
// the filter. A chunk that is not there, or has no vector, contradicts them.
func rescore(ctx context.Context, c *sql.Conn, q []float32, ids []int64, f filter) (found []neighbour, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	where, args := f.sql()
	from := `chunks c INDEXED BY chunks_meaning` // without the texts there is less to read
	if !f.none() {
		from = `chunks c JOIN files f ON f.id=c.file`
	}
	rows, err := c.QueryContext(ctx, `SELECT c.id, coalesce(c.date, 0), c.key, e.v, `+where+`
		FROM `+from+` JOIN embeddings e ON e.hash=c.embedding WHERE c.id IN (`+listOf(ids)+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	seen := 0
	var packed sql.RawBytes
	for rows.Next() {
		var k neighbour
		var kept bool
		if err := rows.Scan(&k.id, &k.date, &k.key, &packed, &kept); err != nil {
			return nil, err
		}
		if len(packed) != scaleSize+len(q) {
			return nil, fmt.Errorf("%w: a vector has %d bytes", errBlocks, len(packed))
		}
		seen++
		if kept {
			k.cosine = cosine(q, packed)
			found = append(found, k)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if seen != len(ids) {
		return nil, fmt.Errorf("%w: %d of %d are of texts that are not there", errBlocks, len(ids)-seen, len(ids))
	}
	return found, nil
}

// firstOf sorts and cuts. Equals are ordered by what does not depend on the
// order in which the index was filled.
func firstOf(found []neighbour, n int) []neighbour {
	slices.SortFunc(found, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.date, a.date), cmp.Compare(a.key, b.key), cmp.Compare(b.id, a.id))
	})
	return found[:min(n, len(found))]
}

// listOf writes ids as SQL does a list.
func listOf(ids []int64) string {
	var b []byte
	for _, id := range ids {
		b = append(strconv.AppendInt(b, id, 10), ',')
	}
	return strings.TrimSuffix(string(b), ",")
}
