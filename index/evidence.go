package index

import (
	"context"
	"database/sql"
	"fmt"
)

// Evidence says of each text how much what it shares with the query tells, as
// the gate measures it: see plan.evidence. The texts need not be in the index;
// how telling a word is, is taken from there.
func (d *DB) Evidence(ctx context.Context, query string, texts []string) ([]float64, error) {
	list := make([]float64, len(texts))
	terms := parseQuery(query, d.o.Ranking.QueryRunes)
	if len(texts) == 0 || len(terms) == 0 {
		return list, nil
	}
	err := d.withFilled(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			chunks, err := lookUp(ctx, c, terms)
			if err != nil {
				return err
			}
			p := choose(terms, chunks, d.o.Ranking)
			for i, text := range texts {
				var t termSet
				t.column(text)
				list[i] = p.held(t.pack()).evidence
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, fmt.Errorf("weighing facts: %w", err)
	}
	return list, nil
}
