package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

func readVectors(ctx context.Context, c *sql.Conn) (m store.Vectors, err error) {
	err = c.QueryRowContext(ctx, `SELECT (SELECT value FROM meta WHERE key='embedder'), (SELECT value FROM meta WHERE key='dimensions'),
		(SELECT value FROM meta WHERE key='vectors'), (SELECT value FROM meta WHERE key='cached')`).
		Scan(&m.Embedder, &m.Dimensions, &m.Number, &m.Cached)
	return m, err
}

func (s *statements) vectors() (m store.Vectors) {
	if s.err == nil {
		m, s.err = readVectors(s.ctx, s.c)
	}
	return m
}

func writeVectors(ctx context.Context, c *sql.Conn, m store.Vectors) error {
	_, err := c.ExecContext(ctx, `INSERT OR REPLACE INTO meta VALUES('embedder', ?), ('dimensions', ?), ('vectors', ?), ('cached', ?)`,
		m.Embedder, m.Dimensions, m.Number, m.Cached)
	return err
}

// reusableCache reports whether the cache of vectors can stay when the other
// tables of an index are dropped: it has this layout, and is from the current
// embedder, or there is no embedder now. It deletes damaged vectors.
func reusableCache(ctx context.Context, c *sql.Conn, key string) (m store.Vectors, ok bool, err error) {
	var tables int
	err = c.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type='table' AND name IN ('meta', 'embeddings')`).Scan(&tables)
	if err != nil || tables < 2 {
		return m, false, err
	}
	m, err = readVectors(ctx, c)
	if err != nil {
		if isDamage(err) || ctx.Err() != nil {
			return m, false, err
		}
		return m, false, nil // another version's meta
	}
	if !strings.HasPrefix(m.Embedder, store.CacheLayout) || key != "" && key != m.Embedder {
		return m, false, nil
	}
	m.Number = 0
	_, err = c.ExecContext(ctx, `DELETE FROM embeddings WHERE typeof(v)<>'blob' OR length(v) NOT IN (0, ?1)`, quantized.Size(m.Dimensions))
	if err == nil {
		err = c.QueryRowContext(ctx, `SELECT count(*) FROM embeddings`).Scan(&m.Cached)
	}
	return m, err == nil, err
}
