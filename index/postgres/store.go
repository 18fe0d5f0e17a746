package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// Name registers the store.
const Name = "postgres"

func init() {
	store.Register(Name, store.Kind{Open: Open, Can: store.Abilities{Vectors: true, Transactions: true, Shared: true, Texts: true}})
}

// layout is the version of the stored form of a text: the tokenizer, the
// stemmer, the projection, the digest, and which columns the planner's
// statistics sample.
const layout = 4

// Timeouts of a connection.
const (
	connectTimeout   = 2 * time.Second
	statementTimeout = 5 * time.Minute // a bulk load is one statement per table
	lockTimeout      = 30 * time.Second
)

// Store is the index of one repository, or, for reading, of all repositories.
type Store struct {
	o       store.Options
	writers *pool
	readers *pool // the same as writers if there is no replica

	signatures signatures

	mu sync.Mutex
	h  *handle // of the generation that was live last
}

// Open connects to the database. It creates missing tables, and an empty index
// for a repository that has none.
func Open(ctx context.Context, o store.Options) (store.Store, error) {
	s := &Store{o: o}
	var err error
	if s.writers, err = connect(ctx, o.DSN); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the index: %w", err), s.Close())
	}
	if s.readers = s.writers; o.ReadDSN != "" && o.ReadDSN != o.DSN {
		if s.readers, err = connect(ctx, o.ReadDSN); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// prepare creates the missing tables and the missing index.
func (s *Store) prepare(ctx context.Context) error {
	c, err := s.writers.Acquire(ctx)
	if err != nil {
		return storeError(err)
	}
	defer c.Release()
	if err := migrate(ctx, c.Conn()); err != nil {
		return storeError(err)
	}
	if s.o.Repository == "" {
		return nil
	}
	_, err = s.live(ctx, c)
	if !errors.Is(err, pgx.ErrNoRows) {
		return storeError(err)
	}
	return storeError(pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock)); err != nil {
			return err
		}
		if _, err := s.live(ctx, tx); !errors.Is(err, pgx.ErrNoRows) { // another process was first
			return err
		}
		id, err := s.begin(ctx, tx)
		if err == nil {
			err = s.goLive(ctx, tx, id)
		}
		return err
	}))
}

// asker is a connection or a transaction.
type asker interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// live returns the generation that answers, or pgx.ErrNoRows if there is none.
func (s *Store) live(ctx context.Context, c asker) (g generation, err error) {
	var identity string
	var version int
	err = c.QueryRow(ctx, `SELECT id, identity, layout FROM indexes WHERE repository=$1 AND live`, s.o.Repository).Scan(&g.id, &identity, &version)
	switch {
	case err != nil:
		return g, err
	case version > layout:
		g.state, g.why = store.Newer, "it was written by a newer version"
	case version < layout:
		g.state, g.why = store.Stale, "it was written by an older version"
	case identity == "":
		g.state, g.why = store.Stale, "it was damaged"
	case identity != s.o.Identity:
		g.state, g.why = store.Stale, "texts are cut differently now"
	default:
		g.state = store.Current
	}
	return g, nil
}

// begin starts an index with separate tables, which no reader sees yet.
func (s *Store) begin(ctx context.Context, tx pgx.Tx) (id int, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO indexes(repository, identity, layout, embedder) VALUES($1,$2,$3,$4) RETURNING id`,
		s.o.Repository, s.o.Identity, layout, s.o.Embedder).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, partition(ctx, tx, id)
}

// goLive replaces the generation that answers.
func (s *Store) goLive(ctx context.Context, tx pgx.Tx, id int) error {
	old, err := s.live(ctx, tx)
	if err == nil {
		err = drop(ctx, tx, old.id)
	} else if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	if err == nil {
		err = attach(ctx, tx, id)
	}
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE indexes SET live=true WHERE id=$1`, id)
	}
	return err
}

// InMemory returns false.
func (s *Store) InMemory() bool { return false }

// Close ends all connections; it waits for calls in progress.
func (s *Store) Close() error {
	s.writers.Close()
	if s.readers != nil && s.readers != s.writers {
		s.readers.Close()
	}
	return nil
}
