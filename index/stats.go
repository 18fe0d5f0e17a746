package index

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// Stats is what an index holds.
type Stats struct {
	State    State
	Files    int
	Included int // of them, Markdown that is not memory
	Entries  int // with an id; hand-written text has none; one that stands in two files counts twice
	Chunks   int
	Bytes    int64 // of the file and its write-ahead log; 0 in memory
	Schema   int   // version
	Memory   bool  // in memory only

	Embedder string // identity of the embedder whose vectors these are; empty when there never was one
	Vectors  int    // chunks that have one
	Pending  int    // chunks that wait for one
}

// Stats counts what the index holds, as of the last Sync.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := d.withFilled(ctx, func(h *handle) error {
		s = Stats{State: h.state, Schema: schemaVersion, Memory: h.info == nil}
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(d.path + suffix); err == nil && h.info != nil {
				s.Bytes += info.Size()
			}
		}
		if !h.current() {
			return nil
		}
		s.State = Current
		return read(ctx, h.pool, func(c *sql.Conn) error {
			q := newStatements(ctx, c)
			defer q.close()
			m := q.vectorMeta()
			s.Embedder, s.Vectors = embedderName(m.embedder), int(m.vectors)
			q.one([]any{&s.Files, &s.Included, &s.Entries, &s.Chunks, &s.Pending}, `SELECT (SELECT count(*) FROM files),
				(SELECT coalesce(sum(included), 0) FROM files WHERE substr(path, 1, 2) <> '//'),
				(SELECT coalesce(sum(entries), 0) FROM files), (SELECT value FROM meta WHERE key='chunks'),
				(SELECT count(*) FROM pending)`)
			return q.err
		})
	})
	if err != nil {
		return s, fmt.Errorf("counting the index: %w", err)
	}
	return s, nil
}
