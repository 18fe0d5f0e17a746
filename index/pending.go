package index

import (
	"context"
	"errors"
	"fmt"

	"agentflow/embed"
	"agentflow/index/quantized"
	"agentflow/index/store"
)

// EmbedReport is the result of an EmbedPending.
type EmbedReport struct {
	Embedded int // chunks that now have their vector, or need none
	Pending  int // chunks that still wait for a vector
}

// EmbedPending makes the vectors of the chunks that have none, newest first. It
// asks the embedder outside of any transaction and writes batch by batch, so no
// other process waits for a provider. When ctx ends, it returns the work done
// so far without an error, and the next call continues. If the embedder fails
// or returns a vector of another dimension, the error names the embedder;
// everything stays searchable by words. progress, unless nil, is called after
// each batch.
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

// backfill is the next batch of texts to embed.
type backfill struct {
	list       []store.Waiting
	waiting    int
	dimensions int // that the vectors must have; 0: any
}

// embed embeds a batch and returns how many of its chunks are done. A chunk
// that changed meanwhile waits again. The handle is not held while the embedder
// works. takes records that the embedder accepted a text.
func (d *DB) embed(ctx context.Context, b backfill, takes *bool) (done int, err error) {
	err = embedBackfill(ctx, d.o, b)
	if errors.Is(err, embed.ErrRefused) {
		refusal := err
		if !*takes { // an embedder that refuses every text has a wrong setting
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

// readBackfill reads the next batch of at most n chunks to embed: first those
// that were refused least often, and among these the newest. It returns none
// for an index of another embedder or version, which the next Sync handles.
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

// embedBackfill embeds each distinct text once.
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

// storeBackfill stores the vectors of those chunks that still wait and are
// unchanged, and returns their number.
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

// An embedder may refuse a text, for example by a content filter. When it
// refuses one text of a batch, all texts of the batch move behind the others
// and are tried in smaller and smaller batches, by this command or the next,
// until the refused text is the only one of its batch. That text gets no
// vector.

// batchAfter returns the size of a batch for texts that were refused this many
// times.
func batchAfter(refused, most int) int { return max(most>>(2*refused), 1) }

// noteRefused records that one of several texts was refused.
func noteRefused(ctx context.Context, h store.Handle, list []store.Waiting) error {
	return h.Update(ctx, func(u store.Update) error {
		u.Refuse(list)
		return u.Err()
	})
}

// distinct counts the different texts of a batch that are not cached.
func distinct(list []store.Waiting) int {
	texts := map[string]bool{}
	for _, w := range list {
		if !w.Cached {
			texts[w.Text] = true
		}
	}
	return len(texts)
}
