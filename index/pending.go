package index

import (
	"context"
	"errors"
	"fmt"

	"agentflow/embed"
	"agentflow/index/quantized"
	"agentflow/index/store"
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
func (d *DB) EmbedPending(ctx context.Context, progress func(done, total int)) (r EmbedReport, err error) {
	if d.o.Embedder == nil {
		return r, nil
	}
	for takes := false; ; {
		var b backfill
		var n int
		err = d.withFilled(ctx, func(h store.Handle) (err error) {
			b, err = readBackfill(ctx, h, d.o, max(d.o.Embedder.Info().Batch, 1))
			return err
		})
		if err == nil {
			r.Pending = b.waiting
		}
		if err == nil && len(b.list) > 0 {
			n, err = d.embed(ctx, b, &takes)
		}
		r.Embedded, r.Pending = r.Embedded+n, r.Pending-n
		if err != nil && ctx.Err() == nil {
			return r, fmt.Errorf("completing the vectors: %w", err)
		}
		if err != nil || len(b.list) == 0 {
			return r, nil
		}
		if progress != nil {
			progress(r.Embedded, r.Embedded+r.Pending)
		}
	}
}

// backfill is what is embedded together next, of all that waits.
type backfill struct {
	list       []store.Waiting
	waiting    int
	dimensions int // that the vectors must have; 0: any
}

// embed embeds a batch and says how many of its chunks are done; one that was
// changed meanwhile waits again. The handle is not held while the embedder is
// asked. takes notes that the embedder takes some text.
func (d *DB) embed(ctx context.Context, b backfill, takes *bool) (done int, err error) {
	err = embedBackfill(ctx, d.o, b)
	if errors.Is(err, embed.ErrRefused) {
		refusal := err
		if !*takes { // one that refuses everything has a wrong setting
			if _, err := embedAll(ctx, d.o.Embedder, embed.Document, []string{"a text"}, b.dimensions); err != nil {
				return 0, err
			}
			*takes = true
		}
		if distinct(b.list) > 1 {
			return 0, d.withFilled(ctx, func(h store.Handle) error { return noteRefused(ctx, h, b.list) })
		}
		d.o.Notice(fmt.Sprintf("what an embedder refuses is found by its words only: %v", refusal))
	} else if err != nil {
		return 0, err
	}
	err = d.withFilled(ctx, func(h store.Handle) (err error) {
		done, err = storeBackfill(ctx, h, b)
		return err
	})
	return done, err
}

// readBackfill reads the chunks that are embedded together next, at most n:
// first those that were refused least often, of these the newest. There are
// none in an index of another embedder, or one that the next Sync has to look at.
func readBackfill(ctx context.Context, h store.Handle, o Options, n int) (b backfill, err error) {
	if !isCurrent(h) {
		return b, nil
	}
	err = h.View(ctx, func(v store.View) error {
		m := v.Vectors()
		if m.Embedder == embedderKey(o) {
			b.dimensions = m.Dimensions
			b.list, b.waiting = v.Waiting(func(refused int) int { return batchAfter(refused, n) })
		}
		return v.Err()
	})
	return b, err
}

// embedBackfill asks for each text once.
func embedBackfill(ctx context.Context, o Options, b backfill) error {
	at := map[string]int{}
	var texts []string
	for _, w := range b.list {
		if _, ok := at[w.Text]; !ok && !w.Cached {
			at[w.Text] = len(texts)
			texts = append(texts, w.Text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := embedAll(ctx, o.Embedder, embed.Document, texts, b.dimensions)
	if err != nil {
		return err
	}
	for i := range b.list {
		if n, ok := at[b.list[i].Text]; ok && vectors[n] != nil {
			b.list[i].Packed = quantized.Pack(vectors[n])
		}
	}
	return nil
}

// storeBackfill writes the vectors of those chunks that still wait for them, as
// they were, and says how many they are.
func storeBackfill(ctx context.Context, h store.Handle, b backfill) (done int, err error) {
	err = h.Update(ctx, func(u store.Update) error {
		for _, k := range b.list {
			if u.Complete(k) {
				done++
			}
		}
		return u.Finish(store.VectorsOnly, nil)
	})
	return done, err
}

// An embedder may refuse a text: a filter of contents does. Texts that were
// asked for together when it refused one of them wait behind all others, and
// are asked for in smaller and smaller batches, by this command or by the
// next, until the one that is refused stands alone. It gets no vector.

// batchAfter is how many texts are asked for together that were refused
// before, so often.
func batchAfter(refused, most int) int { return max(most>>(2*refused), 1) }

// noteRefused notes that one of several texts was refused.
func noteRefused(ctx context.Context, h store.Handle, list []store.Waiting) error {
	return h.Update(ctx, func(u store.Update) error {
		u.Refuse(list)
		return u.Err()
	})
}

// distinct counts the texts of a batch that have to be asked for.
func distinct(list []store.Waiting) int {
	texts := map[string]bool{}
	for _, w := range list {
		if !w.Cached {
			texts[w.Text] = true
		}
	}
	return len(texts)
}
