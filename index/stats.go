package index

import (
	"context"
	"fmt"

	"agentflow/index/store"
)

// Stats describes the contents of an index.
type Stats struct {
	State    store.State
	Files    int
	Included int // of Files, Markdown that is not memory
	Entries  int // entries with an id, so not hand-written text; an entry in two files counts twice
	Chunks   int
	Where    string // the file, or the database's address; empty if in memory
	Bytes    int64  // of the file and its write-ahead log, or of the index's tables; 0 if in memory
	Memory   bool   // only in memory

	Embedder string // identity of the embedder that made the vectors; empty if there never was one
	Vectors  int    // chunks with a vector
	Pending  int    // chunks waiting for a vector
}

// Stats counts the contents of the index as of the last Sync.
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
