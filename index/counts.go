package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// counts adds up, in memory, how many more chunks hold each term.
type counts map[uint32]int64

// maxCounts is how many terms are counted in memory: about 10 MB.
const maxCounts = 1 << 18

// count adds a chunk (by is 1) or removes it (-1).
func (w *writer) count(terms []byte, by int64) {
	w.chunks += by
	for h := range unpack(terms) {
		w.df[h] += by
	}
}

// spill keeps the counts in bounds.
func (w *writer) spill(ctx context.Context) error {
	if len(w.df) < maxCounts {
		return nil
	}
	return w.df.write(ctx, w.c)
}

// A row of df holds the counts of the terms with the same first bits: a row a
// term made a full index take a sixth longer.
const bucketBits = 10

func bucketOf(term uint32) uint32 { return term >> (32 - bucketBits) }

// write adds what was counted so far to the table, and forgets it.
func (n counts) write(ctx context.Context, c *sql.Conn) error {
	ctx, err := uninterrupted(ctx)
	if err != nil {
		return err
	}
	buckets, err := openBuckets(ctx, c)
	if err != nil {
		return err
	}
	defer buckets.close()
	terms := slices.Sorted(maps.Keys(n))
	for len(terms) > 0 {
		id := bucketOf(terms[0])
		end := sort.Search(len(terms), func(i int) bool { return bucketOf(terms[i]) > id })
		if err := buckets.add(ctx, id, terms[:end], n); err != nil {
			return err
		}
		terms = terms[end:]
	}
	clear(n)
	return nil
}

// buckets changes rows of df.
type buckets struct{ get, put, drop *sql.Stmt }

func openBuckets(ctx context.Context, c *sql.Conn) (b buckets, err error) {
	if b.get, err = c.PrepareContext(ctx, `SELECT counts FROM df WHERE bucket=?`); err != nil {
		return b, err
	}
	if b.put, err = c.PrepareContext(ctx, `INSERT INTO df VALUES(?,?) ON CONFLICT(bucket) DO UPDATE SET counts=excluded.counts`); err != nil {
		return b, err
	}
	b.drop, err = c.PrepareContext(ctx, `DELETE FROM df WHERE bucket=?`)
	return b, err
}

func (b buckets) close() {
	for _, s := range []*sql.Stmt{b.get, b.put, b.drop} {
		_ = s.Close()
	}
}

// add adds the counts of terms, sorted, which are all of one bucket.
func (b buckets) add(ctx context.Context, id uint32, terms []uint32, n counts) error {
	var old bucket
	err := b.get.QueryRowContext(ctx, id).Scan((*[]byte)(&old))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err := old.check(); err != nil {
		return err
	}
	now := old.plus(terms, n)
	switch {
	case len(now) > 0:
		_, err = b.put.ExecContext(ctx, id, []byte(now))
	default:
		_, err = b.drop.ExecContext(ctx, id)
	}
	return err
}

// bucket is the counts of a row: term and chunks that hold it, 32-bit
// little-endian each, sorted by term, none 0.
type bucket []byte

const countSize = 8

func (b bucket) check() error {
	if len(b)%countSize != 0 {
		return fmt.Errorf("%w: counts of terms have %d bytes", errDamaged, len(b))
	}
	return nil
}

func (b bucket) len() int            { return len(b) / countSize }
func (b bucket) term(i int) uint32   { return binary.LittleEndian.Uint32(b[i*countSize:]) }
func (b bucket) chunks(i int) uint32 { return binary.LittleEndian.Uint32(b[i*countSize+4:]) }
func (b bucket) with(term uint32, n int64) bucket {
	if n <= 0 {
		return b
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, term), uint32(n))
}

// plus merges the counts of terms, sorted, into those of b.
func (b bucket) plus(terms []uint32, n counts) bucket {
	out := make(bucket, 0, len(b)+len(terms)*countSize)
	i := 0
	for _, t := range terms {
		for ; i < b.len() && b.term(i) < t; i++ {
			out = append(out, b[i*countSize:(i+1)*countSize]...)
		}
		sum := n[t]
		if i < b.len() && b.term(i) == t {
			sum += int64(b.chunks(i))
			i++
		}
		out = out.with(t, sum)
	}
	return append(out, b[i*countSize:]...)
}

// of returns how many chunks hold a term.
func (b bucket) of(term uint32) int {
	i := sort.Search(b.len(), func(i int) bool { return b.term(i) >= term })
	if i == b.len() || b.term(i) != term {
		return 0
	}
	return int(b.chunks(i))
}

// countTerms fills in how many chunks hold each term.
func countTerms(ctx context.Context, c *sql.Conn, terms map[uint32]int) error {
	of := make(map[uint32][]uint32, len(terms))
	for h := range terms {
		of[bucketOf(h)] = append(of[bucketOf(h)], h)
	}
	in := make([]byte, 0, 5*len(of))
	for id := range of {
		in = append(strconv.AppendUint(in, uint64(id), 10), ',')
	}
	rows, err := c.QueryContext(ctx, `SELECT bucket, counts FROM df WHERE bucket IN (`+strings.TrimSuffix(string(in), ",")+`)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var raw sql.RawBytes
	for rows.Next() {
		var id uint32
		if err := rows.Scan(&id, &raw); err != nil {
			return err
		}
		b := bucket(raw)
		if err := b.check(); err != nil {
			return err
		}
		for _, h := range of[id] {
			terms[h] = b.of(h)
		}
	}
	return rows.Err()
}
