package postgres

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// generation is the index that answers for a repository; id 0 means those of
// all repositories.
type generation struct {
	id    int
	state store.State
	why   string
}

// handle refers to a generation. Anew replaces it.
type handle struct {
	s   *Store
	now atomic.Pointer[generation]
}

func newHandle(s *Store, g generation) *handle {
	h := &handle{s: s}
	h.now.Store(&g)
	return h
}

// State returns the state of the generation for this program.
func (h *handle) State() (store.State, string) {
	g := h.now.Load()
	return g.state, g.why
}

// View runs f in one read transaction: all its queries see the same index.
func (h *handle) View(ctx context.Context, f func(store.View) error) error {
	return storeError(pgx.BeginTxFunc(ctx, h.s.readers, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		v := &view{failing: failing{ctx: ctx}, tx: tx, s: h.s}
		id := h.now.Load().id
		v.look(id)
		if id != 0 && len(v.live) == 0 && v.err == nil {
			v.Fail(errReplaced)
		}
		if v.err != nil {
			return v.err
		}
		if err := f(v); err != nil {
			return err
		}
		return v.err
	}))
}

// InMemory is false: the server keeps the index.
func (h *handle) InMemory() bool { return false }

// Place returns the address of the database and the size of the generation's
// tables in bytes.
func (h *handle) Place(ctx context.Context) (where string, bytes int64) {
	c := h.s.writers.Config().ConnConfig
	where = (&url.URL{Scheme: "postgres", Host: fmt.Sprintf("%s:%d", c.Host, c.Port), Path: "/" + c.Database}).String()
	for _, t := range tables {
		var n int64
		name := fmt.Sprintf("%s.%s_%d", schema, t, h.now.Load().id)
		if err := h.s.readers.QueryRow(ctx, `SELECT coalesce(pg_total_relation_size(to_regclass($1)), 0)`, name).Scan(&n); err != nil {
			return where, 0
		}
		bytes += n
	}
	return where, bytes
}

// Tidy indexes the vectors if that pays: see indexVectors. Only one process
// does so at a time, and the next Tidy retries after a failure. PostgreSQL's
// autovacuum does the rest.
func (h *handle) Tidy(ctx context.Context) {
	var m meta
	err := h.s.writers.QueryRow(ctx, `SELECT `+metaColumns+` FROM indexes WHERE id=$1 AND live`, h.now.Load().id).Scan(m.into()...)
	if err != nil {
		return
	}
	if worth, err := worthAnIndex(ctx, h.s.writers, &m); err != nil || !worth {
		return
	}
	_ = h.s.unhurried(ctx, func(c *pgxpool.Conn) error {
		lock, alone := m.table("vectors"), false
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, hashtext($2))`, migrationLock, lock).Scan(&alone); err != nil || !alone {
			return err
		}
		defer func() {
			_, _ = c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1, hashtext($2))`, migrationLock, lock)
		}()
		return indexVectors(ctx, c, &m, "CONCURRENTLY")
	})
}
