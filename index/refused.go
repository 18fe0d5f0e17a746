package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"agentflow/embed"
)

// An embedder may refuse a text: a filter of contents does. Texts that were
// asked for together when it refused one of them wait behind all others, and
// are asked for in smaller and smaller batches, by this command or by the
// next, until the one that is refused stands alone. It gets no vector.

// batchAfter is how many texts are asked for together that were refused
// before, so often.
func batchAfter(refused, most int) int { return max(most>>(2*refused), 1) }

// refusal is what an EmbedPending knows of an embedder that refuses.
type refusal struct{ takes bool } // it takes another text

// check is an error when the embedder refuses everything, as it does with a
// wrong setting.
func (r *refusal) check(ctx context.Context, e embed.Embedder, dimensions int) error {
	if r.takes {
		return nil
	}
	_, err := embedAll(ctx, e, embed.Document, []string{"a text"}, dimensions)
	r.takes = err == nil
	return err
}

// refuse notes that texts were refused. One that was asked for alone is done
// then: it stands without a vector.
func (d *DB) refuse(ctx context.Context, batch []waiting, why error) (settled bool, err error) {
	if distinct(batch) == 1 {
		d.o.Notice(fmt.Sprintf("what an embedder refuses is found by its words only: %v", why))
		return true, nil
	}
	err = d.with(ctx, func(h *handle) error {
		return write(ctx, h.pool, func(c *sql.Conn) error {
			for _, w := range batch {
				if _, err := c.ExecContext(ctx, `UPDATE pending SET refused=refused+1 WHERE chunk=?`, w.chunk); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return false, err
}

// distinct counts the texts of a batch that have to be asked for.
func distinct(batch []waiting) int {
	texts := map[string]bool{}
	for _, w := range batch {
		if !w.cached {
			texts[w.text] = true
		}
	}
	return len(texts)
}

// refused says whether an embedder's error may be the fault of one text.
func refused(err error) bool { return errors.Is(err, embed.ErrRefused) }
