package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"agentflow/embed"
	"agentflow/index/quantized"
)

// EmbedReport says what an EmbedPending did.
type EmbedReport struct {
	Embedded int // chunks that have their vector now, or are known to need none
	Pending  int // chunks that still wait
}

// EmbedPending makes the vectors of the chunks that have none, newest first. It asks
// the embedder outside of any transaction and writes batch by batch, so that
// nobody waits for a provider. When ctx ends it returns without an error what
// it has done; the next call goes on. An embedder that fails is an error that
// names it, and so is a vector of another dimension; all stays searchable.
// progress, unless nil, receives how far it is after each batch.
func (d *DB) EmbedPending(ctx context.Context, progress func(done, total int)) (EmbedReport, error) {
	var r EmbedReport
	if d.o.Embedder == nil {
		return r, nil
	}
	err := d.with(ctx, func(h *handle) (err error) {
		r.Pending, err = countPending(ctx, h, embedderKey(d.o))
		return err
	})
	total := r.Pending
	var refusals refusal
	for more := total > 0; err == nil && more; {
		var n int
		if n, more, err = d.embedBatch(ctx, &refusals); err != nil || !more {
			break
		}
		r.Embedded += n
		r.Pending = max(r.Pending-n, 0)
		if progress != nil {
			progress(r.Embedded, max(total, r.Embedded))
		}
	}
	if err != nil && ctx.Err() != nil {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("completing the vectors: %w", err)
	}
	return r, nil
}

// countPending is 0 for an index that the next Sync has to look at first.
func countPending(ctx context.Context, h *handle, key string) (n int, err error) {
	if !h.current() {
		return 0, nil
	}
	err = read(ctx, h.pool, func(c *sql.Conn) error {
		m, err := readVectorMeta(ctx, c)
		if err != nil || m.embedder != key {
			return err
		}
		return c.QueryRowContext(ctx, `SELECT count(*) FROM pending`).Scan(&n)
	})
	return n, err
}

// waiting is a chunk without a vector.
type waiting struct {
	chunk  int64
	hash   []byte
	text   string
	cached bool // its vector is there by now, of the same text elsewhere
	packed []byte
}

// embedBatch embeds the newest chunks that wait. It says how many of them are
// done, and whether any waited; one that was changed meanwhile waits again.
// The handle is not held while the embedder is asked.
func (d *DB) embedBatch(ctx context.Context, refusals *refusal) (done int, waited bool, err error) {
	var batch []waiting
	var dimensions int
	err = d.with(ctx, func(h *handle) (err error) {
		batch, dimensions, err = readWaiting(ctx, h, d.o, max(d.o.Embedder.Info().Batch, 1))
		return err
	})
	if err != nil || len(batch) == 0 {
		return 0, false, err
	}
	if err := embedWaiting(ctx, d.o, batch, dimensions); refused(err) {
		if err := refusals.check(ctx, d.o.Embedder, dimensions); err != nil {
			return 0, true, err
		}
		if settled, err := d.refuse(ctx, batch, err); err != nil || !settled {
			return 0, true, err
		}
	} else if err != nil {
		return 0, true, err
	}
	err = d.with(ctx, func(h *handle) (err error) {
		done, err = storeWaiting(ctx, h, d.o, batch)
		return err
	})
	return done, true, err
}

// readWaiting reads the chunks that are embedded together next, at most n, and
// the dimensions that their vectors must have: first those that were refused
// least often, of these the newest. There are none in an index of another
// embedder.
func readWaiting(ctx context.Context, h *handle, o Options, n int) (batch []waiting, dimensions int, err error) {
	err = read(ctx, h.pool, func(c *sql.Conn) error {
		m, err := readVectorMeta(ctx, c)
		if err != nil || m.embedder != embedderKey(o) {
			return err
		}
		dimensions = m.dimensions
		var refused int
		if err := c.QueryRowContext(ctx, `SELECT coalesce(min(refused), 0) FROM pending`).Scan(&refused); err != nil {
			return err
		}
		return each(ctx, c, func(scan scan) error {
			var w waiting
			err := scan(&w.chunk, &w.hash, &w.text, &w.cached)
			batch = append(batch, w)
			return err
		}, `SELECT p.chunk, c.embedding, p.text,
				EXISTS (SELECT 1 FROM embeddings e WHERE e.hash=c.embedding) FROM pending p JOIN chunks c ON c.id=p.chunk
			WHERE p.refused=? ORDER BY p.chunk DESC LIMIT ?`, refused, batchAfter(refused, n))
	})
	return batch, dimensions, err
}

// embedWaiting asks for each text once.
func embedWaiting(ctx context.Context, o Options, batch []waiting, dimensions int) error {
	at := map[string]int{}
	var texts []string
	for _, w := range batch {
		if _, ok := at[w.text]; !ok && !w.cached {
			at[w.text] = len(texts)
			texts = append(texts, w.text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := embedAll(ctx, o.Embedder, embed.Document, texts, dimensions)
	if err != nil {
		return err
	}
	for i := range batch {
		if n, ok := at[batch[i].text]; ok && vectors[n] != nil {
			batch[i].packed = quantized.Pack(vectors[n])
		}
	}
	return nil
}

// storeWaiting writes the vectors of those chunks that still wait for them, as
// they were, and says how many they are.
func storeWaiting(ctx context.Context, h *handle, o Options, batch []waiting) (done int, err error) {
	err = write(ctx, h.pool, func(c *sql.Conn) error {
		s := newStatements(c)
		defer s.close()
		w, err := newVectorWriter(ctx, s)
		if err != nil || w.m.embedder != embedderKey(o) {
			return err
		}
		for _, k := range batch {
			if !w.fits(k.packed) {
				return fmt.Errorf("%w: %d dimensions instead of %d", quantized.ErrVector, quantized.Dimensions(k.packed), w.m.dimensions)
			}
			ok, err := w.settle(ctx, k)
			if err != nil {
				return err
			}
			if ok {
				done++
			}
		}
		return w.finish(ctx)
	})
	return done, err
}

// settle gives a chunk its vector if it still waits for this one.
func (w *vectorWriter) settle(ctx context.Context, k waiting) (bool, error) {
	var hash []byte
	err := w.row(ctx, []any{&hash}, `SELECT c.embedding FROM pending p JOIN chunks c ON c.id=p.chunk WHERE p.chunk=?`, k.chunk)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !bytes.Equal(hash, k.hash) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := w.stopWaiting(ctx, k.chunk); err != nil {
		return false, err
	}
	return true, w.add(ctx, k.chunk, embedding{text: k.text, hash: k.hash, vector: k.packed, made: true}, w.m.embedder)
}

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
