package index

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
)

// counts adds up, in memory, how many more chunks hold each term.
type counts map[uint32]int64

// maxCounts is how many terms are counted in memory: about 10 MB.
const maxCounts = 1 << 18

// rowsAtOnce is how many rows one statement inserts where many are at hand.
const rowsAtOnce = 100

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

// write adds what was counted so far to the table, and forgets it. A sum is
// never negative: it is how many chunks hold the term now.
func (n counts) write(ctx context.Context, c *sql.Conn) error {
	ctx, err := uninterrupted(ctx)
	if err != nil {
		return err
	}
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(n)), func(h uint32) bool { return n[h] == 0 })
	full, err := c.PrepareContext(ctx, addCounts(rowsAtOnce))
	if err != nil {
		return err
	}
	defer full.Close()
	args := make([]any, 0, 2*rowsAtOnce)
	for terms := range slices.Chunk(changed, rowsAtOnce) {
		args = args[:0]
		for _, h := range terms {
			args = append(args, int64(h), n[h])
		}
		if len(terms) == rowsAtOnce {
			_, err = full.ExecContext(ctx, args...)
		} else {
			_, err = c.ExecContext(ctx, addCounts(len(terms)), args...)
		}
		if err != nil {
			return err
		}
	}
	shrunk := slices.DeleteFunc(changed, func(h uint32) bool { return n[h] > 0 })
	clear(n)
	return dropTerms(ctx, c, shrunk)
}

// addCounts is the statement that adds the counts of so many terms.
func addCounts(terms int) string {
	return `INSERT INTO df VALUES (?,?)` + strings.Repeat(`,(?,?)`, terms-1) + ` ON CONFLICT(term) DO UPDATE SET n=n+excluded.n`
}

// dropTerms forgets those of the terms that no chunk holds any more.
func dropTerms(ctx context.Context, c *sql.Conn, terms []uint32) error {
	if len(terms) == 0 {
		return nil
	}
	drop, err := c.PrepareContext(ctx, `DELETE FROM df WHERE term=? AND n<=0`)
	if err != nil {
		return err
	}
	defer drop.Close()
	for _, h := range terms {
		if _, err := drop.ExecContext(ctx, int64(h)); err != nil {
			return err
		}
	}
	return nil
}
