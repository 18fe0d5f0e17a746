package postgres

import (
	"context"
	"fmt"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// meta is the row of a generation in the table indexes.
type meta struct {
	id                     int
	chunks, tokens, writes int64
	listing                []byte
	vectors                store.Vectors
	lastChunk, lastFile    int64
	pgvector               string // the schema of the extension that indexes the vectors; "" if there is no such index
}

const metaColumns = `id, chunks, tokens, writes, listing, embedder, dimensions, vectors, cached, last_chunk, last_file, ` + vectorIndex

// vectorIndex selects from indexes the schema of pgvector if
// the generation has a complete index of its vectors, otherwise "".
const vectorIndex = `coalesce((SELECT quote_ident(n.nspname) FROM pg_index x JOIN pg_opclass o ON o.oid=x.indclass[0] JOIN pg_namespace n ON n.oid=o.opcnamespace
	WHERE x.indexrelid=to_regclass('vectors_'||id||'_near') AND x.indisvalid), '')`

func (m *meta) into() []any {
	return []any{&m.id, &m.chunks, &m.tokens, &m.writes, &m.listing, &m.vectors.Embedder, &m.vectors.Dimensions, &m.vectors.Number, &m.vectors.Cached, &m.lastChunk, &m.lastFile, &m.pgvector}
}

// table returns the name of the index's own part of a table.
func (m *meta) table(name string) string { return fmt.Sprintf("%s_%d", name, m.id) }

// number returns the id of a chunk or file, which is unique across all indexes.
func (m *meta) number(n int64) int64 { return int64(m.id)<<40 | n }

// each runs f for each row of a query.
func each(ctx context.Context, tx pgx.Tx, f func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
