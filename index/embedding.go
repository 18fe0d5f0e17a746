package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"agentflow/embed"
	"agentflow/index/quantized"
	"agentflow/index/store"
	"agentflow/internal/words"
)

// embedRunes limits the text of one vector to about 500 tokens, which every
// model accepts and which is more than a chunk of the default size.
const embedRunes = 2000

// embedHashSize limits the bytes kept of a SHA-256, enough that no two
// texts with the same hash can be found.
const embedHashSize = 16

// newEmbedding returns the embedding of a chunk, without its vector. Its text
// is the searched text, not the Markdown of the file, and is empty if there is
// nothing to embed.
func newEmbedding(title, body, files string) store.Embedding {
	parts := make([]string, 0, 3)
	for _, p := range []string{title, body, files} {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	text := strings.ToValidUTF8(words.FirstRunes(strings.Join(parts, "\n"), embedRunes), "\ufffd")
	sum := sha256.Sum256([]byte(text)) // equal texts are embedded once
	return store.Embedding{Text: text, Hash: sum[:embedHashSize], Made: text == ""}
}

// embedRows fills in the vectors of new rows while earlier rows are being
// written, if the embedder works inline, without waiting. Rows without a vector
// are left to EmbedPending.
func embedRows(ctx context.Context, e embed.Embedder, rows []store.Row) {
	if e == nil || !e.Info().Inline {
		return
	}
	var batch []*store.Embedding
	for i := range rows {
		if k := &rows[i].Embedding; len(k.Hash) > 0 && !k.Made {
			batch = append(batch, k)
		}
	}
	for size := max(e.Info().Batch, 1); len(batch) > 0; batch = batch[min(size, len(batch)):] {
		now := batch[:min(size, len(batch))]
		texts := make([]string, len(now))
		for i, k := range now {
			texts[i] = k.Text
		}
		vectors, err := embedAll(ctx, e, embed.Document, texts, 0)
		if err != nil {
			return // the catchUp that follows reports the error
		}
		for i, k := range now {
			if k.Made = true; vectors[i] != nil {
				k.Vector = quantized.Pack(vectors[i])
			}
		}
	}
}

// catchUp embeds the texts without vectors, if the embedder works inline: texts
// written by a process without this embedder, and texts with a damaged vector.
func (s *syncer) catchUp(ctx context.Context) error {
	e := s.o.Embedder
	if e == nil || !e.Info().Inline {
		return nil
	}
	for {
		b, err := readBackfill(ctx, s.h, s.o, catchUpBatch)
		if err != nil || len(b.list) == 0 {
			return err
		}
		if err := embedBackfill(ctx, s.o, b); err != nil {
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("vectors: %v", err))
			return nil
		}
		if _, err := storeBackfill(ctx, s.h, b); err != nil {
			return err
		}
	}
}

// catchUpBatch limits an inline embedder's chunks for one transaction.
const catchUpBatch = 2000
