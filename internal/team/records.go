// Package team stores the data that a team's servers share and no index has: the tokens, the
// audit of changes, and the key with which the servers write. The data are in a PostgreSQL
// database, in a separate schema that rebuilding an index never changes.
package team

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/pgtables"

	"github.com/jackc/pgx/v5/pgxpool"
)

// tables is the schema. Tokens and logins are stored as SHA-256 hashes. Both are random, so a
// salt would add nothing.
var tables = pgtables.Schema{Name: "agentflow_team", Lock: 0x4146544d, Migrations: []string{`
CREATE TABLE tokens(
	name text PRIMARY KEY, hash bytea NOT NULL UNIQUE,
	repositories text[] NOT NULL,    -- that it is for; empty: all
	writes boolean NOT NULL,
	created timestamptz NOT NULL DEFAULT now(),
	expires timestamptz);            -- NULL: never
CREATE TABLE logins(
	hash bytea PRIMARY KEY, token text NOT NULL REFERENCES tokens(name) ON DELETE CASCADE,
	expires timestamptz NOT NULL);
CREATE INDEX logins_token ON logins(token);
CREATE TABLE audit(
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(),
	name text NOT NULL, repository text NOT NULL, operation text NOT NULL,
	ids text[] NOT NULL);            -- of what was written
CREATE TABLE keys(n int PRIMARY KEY CHECK (n=1), seed bytea NOT NULL); -- Ed25519: see Key
`}}

// Limits of a query.
const (
	connectTimeout   = 2 * time.Second
	statementTimeout = 5 * time.Second
)

// Records gives access to a team's data. Its methods are safe for concurrent use.
type Records struct {
	pool *pgxpool.Pool
	// turns are the connections that wait for a turn to write, or hold one. The holder of a
	// turn uses pool for its queries: with a common pool, waiting connections could block it.
	turns *pgxpool.Pool
}

// Limits of the connections of one server: those for queries, and those that wait for a turn to
// write, which are as many as the repositories that a server writes or waits for at once. One
// more holds the server's seat. A team's server has its indexes in the same database: see
// postgres.MaxConnections.
const (
	maxAsking = 8
	maxTurns  = 11
)

// Open connects to a database and makes missing tables. libpq's variables and files supply the
// parts that dsn lacks.
func Open(ctx context.Context, dsn string) (*Records, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the DSN of the team's database cannot be read") // pgx's error may quote a password
	}
	p := config.ConnConfig.RuntimeParams
	p["search_path"], p["application_name"] = tables.Name, "agentflow-team"
	p["statement_timeout"] = fmt.Sprint(statementTimeout.Milliseconds())
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	r, err := newRecords(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the team's database: %w", err)
	}
	return r, nil
}

func newRecords(ctx context.Context, config *pgxpool.Config) (*Records, error) {
	config.MaxConns = maxAsking
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	config = config.Copy()
	config.MaxConns, config.MinConns = maxTurns, 0
	turns, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		pool.Close()
		return nil, err
	}
	r := &Records{pool, turns}
	err = pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return tables.Migrate(ctx, c.Conn()) })
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close closes all connections. It waits for calls in progress.
func (r *Records) Close() {
	r.turns.Close()
	r.pool.Close()
}
