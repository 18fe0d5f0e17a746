package index

import (
	"context"
	"fmt"

	"agentflow/index/store"
)

// Stats is what an index holds.
type Stats struct {
	State    store.State
	Files    int
	Included int // of them, Markdown that is not memory
	Entries  int // with an id; hand-written text has none; one that stands in two files counts twice
	Chunks   int
	Where    string // the file, or the database's address; empty in memory
	Bytes    int64  // of the file and its write-ahead log, or of the index's tables; 0 in memory
	Memory   bool   // in memory only

	Embedder string // identity of the embedder whose vectors these are; empty when there never was one
	Vectors  int    // chunks that have one
	Pending  int    // chunks that wait for one
}

// Stats counts what the index holds, as of the last Sync.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := d.withFilled(ctx, func(h store.Handle) error {
		s = Stats{}
		s.State, _ = h.State()
		s.Where, s.Bytes = h.Place(ctx)
		s.Memory = s.Where == ""
		if s.State != store.Current {
			return nil
		}
		return h.View(ctx, func(v store.View) error {
			m, t := v.Vectors(), v.Totals()
			s.Embedder, s.Vectors = embedderName(m.Embedder), int(m.Number)
			s.Files, s.Included, s.Entries, s.Chunks, s.Pending = t.Files, t.Included, t.Entries, t.Chunks, t.Pending
			return v.Err()
		})
	})
	if err != nil {
		return s, fmt.Errorf("counting the index: %w", err)
	}
	return s, nil
}
