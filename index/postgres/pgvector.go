package postgres

import (
	"context"
	"errors"
	"fmt"

	"agentflow/index/quantized"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// If the server has pgvector, the vectors of a large generation get a pgvector
// index, by which View.Nearest finds them without reading the bits of all. The
// index covers the existing table vectors, so PostgreSQL keeps it up to date.
// Without it, a search by bits finds as much.
//
// It is an index of lists (ivfflat) over two-byte numbers (halfvec). A
// neighbour graph (hnsw) takes six times as long to build and finds no more,
// and over bits both kinds find less. See docs/scale.md.

// indexedFrom is the number of vectors from which the index pays. In a
// long-running process, a search with it takes 1.5 times as long as one by bits
// at 100,000 vectors, equally long at 300,000, and 0.6 times as long at a
// million. A database may set another number: ALTER DATABASE d SET
// agentflow.vectors_indexed_from=n.
const indexedFrom = 500_000

const (
	perList  = 1000 // vectors
	maxLists = 1000
	// grown is the factor by which lists may outgrow perList before the index
	// is rebuilt.
	grown = 4
	// maxDimensions is the limit of pgvector's index.
	maxDimensions = 4000
	// indexMemory is enough to sort 50 vectors per list into maxLists lists.
	indexMemory = "512MB"
)

// asVector converts a packed vector for pgvector. It drops the scale, which no
// cosine depends on. Names are qualified, because a dump is restored without a
// search path.
const asVector = `CREATE OR REPLACE FUNCTION %[1]s.as_vector(packed bytea) RETURNS %[2]s.halfvec LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
	$$SELECT ARRAY(SELECT (get_byte(packed, i) # 128) - 128 FROM generate_series(%[3]d, length(packed)-1) i)::%[2]s.halfvec$$`

// connection is a connection or a transaction. In a transaction, Begin makes a
// savepoint.
type connection interface {
	asker
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// indexVectors builds the index of a generation's vectors if it pays, is
// missing or has outgrown its lists, and the server has pgvector. how is
// CONCURRENTLY if other processes may write meanwhile, which is not possible in
// a transaction.
func indexVectors(ctx context.Context, c connection, m *meta, how string) error {
	worth, err := worthAnIndex(ctx, c, m)
	if err != nil || !worth {
		return err
	}
	where, err := pgvector(ctx, c)
	if err != nil || where == "" {
		return err
	}
	width := quantized.Size(m.vectors.Dimensions)
	for _, statement := range []string{
		fmt.Sprintf(asVector, schema, where, quantized.Size(0)),
		fmt.Sprintf(`DROP INDEX IF EXISTS vectors_%d_near`, m.id),
		fmt.Sprintf(`DROP INDEX IF EXISTS chunks_%d_hash`, m.id),
		fmt.Sprintf(`CREATE INDEX %[2]s chunks_%[1]d_hash ON chunks_%[1]d(hash)`, m.id, how),
		fmt.Sprintf(`CREATE INDEX %[6]s vectors_%[1]d_near ON vectors_%[1]d USING ivfflat ((%[2]s) %[3]s.halfvec_cosine_ops) WITH (lists=%[4]d) WHERE length(v)=%[5]d`,
			m.id, m.indexed(where), where, m.lists(), width, how),
	} {
		if _, err := c.Exec(ctx, statement); err != nil {
			return fmt.Errorf("indexing the vectors: %w", err)
		}
	}
	return nil
}

// indexed returns the expression that the index covers.
func (m *meta) indexed(where string) string {
	return fmt.Sprintf(`%s.as_vector(v)::%s.halfvec(%d)`, schema, where, m.vectors.Dimensions)
}

// lists returns how many lists the index should have.
func (m *meta) lists() int64 { return min(max(m.vectors.Cached/perList, 1), maxLists) }

// worthAnIndex reports whether there are enough vectors and no index with
// enough lists.
func worthAnIndex(ctx context.Context, c asker, m *meta) (worth bool, err error) {
	if d := m.vectors.Dimensions; d == 0 || d > maxDimensions {
		return false, nil
	}
	err = c.QueryRow(ctx, `SELECT $2 >= coalesce(nullif(current_setting('agentflow.vectors_indexed_from', true), '')::bigint, $3)
		AND NOT EXISTS (SELECT 1 FROM pg_index JOIN pg_class ON oid=indexrelid, pg_options_to_table(reloptions) o
			WHERE oid=to_regclass($1) AND indisvalid AND o.option_name='lists' AND o.option_value::bigint*$5 > $4)`,
		fmt.Sprintf(`vectors_%d_near`, m.id), m.vectors.Number, indexedFrom, m.lists(), grown).Scan(&worth)
	return worth, err
}

// pgvector returns the schema of the extension. It installs the extension if
// that is allowed. It returns "" if there is none, or if it is too old for
// halfvec (before 0.7).
func pgvector(ctx context.Context, c connection) (where string, err error) {
	const installed = `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid=e.extnamespace
		WHERE e.extname='vector' AND to_regtype(quote_ident(n.nspname)||'.halfvec') IS NOT NULL`
	err = c.QueryRow(ctx, installed).Scan(&where)
	if !errors.Is(err, pgx.ErrNoRows) {
		return pgx.Identifier{where}.Sanitize(), err
	}
	var available bool
	err = c.QueryRow(ctx, `SELECT EXISTS(SELECT 1 FROM pg_available_extensions WHERE name='vector' AND installed_version IS NULL)`).Scan(&available)
	if err != nil || !available {
		return "", err
	}
	_ = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { // in a savepoint, because most roles are not allowed to
		_, err := tx.Exec(ctx, `CREATE EXTENSION vector SCHEMA public`)
		return err
	})
	if err = c.QueryRow(ctx, installed).Scan(&where); errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return pgx.Identifier{where}.Sanitize(), err
}

// unhurried runs f on a connection without a statement timeout.
func (s *Store) unhurried(ctx context.Context, f func(c *pgxpool.Conn) error) error {
	return s.writers.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, `SET statement_timeout=0`); err != nil {
			return err
		}
		defer func() { _, _ = c.Exec(context.WithoutCancel(ctx), `RESET statement_timeout`) }()
		return f(c)
	})
}
