package postgres

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// generation is what answers for a repository; id 0 stands for those of all repositories.
type generation struct {
	id    int
	state store.State
	why   string
}

// handle is a generation, and the one that Anew puts in its place.
type handle struct {
	s   *Store
	now atomic.Pointer[generation]
}

func newHandle(s *Store, g generation) *handle {
	h := &handle{s: s}
	h.now.Store(&g)
	return h
}

// State says what the generation is to this program.
func (h *handle) State() (store.State, string) {
	g := h.now.Load()
	return g.state, g.why
}

// View runs f in one transaction that reads: all its questions see the same index.
func (h *handle) View(ctx context.Context, f func(store.View) error) error {
	return told(pgx.BeginTxFunc(ctx, h.s.readers, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
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

// Place is the database, and how many bytes the tables of the generation take.
func (h *handle) Place() (where string, bytes int64) {
	c := h.s.writers.Config().ConnConfig
	where = (&url.URL{Scheme: "postgres", Host: fmt.Sprintf("%s:%d", c.Host, c.Port), Path: "/" + c.Database}).String()
	for _, t := range tables {
		var n int64
		name := fmt.Sprintf("%s.%s_%d", schema, t, h.now.Load().id)
		if err := h.s.readers.QueryRow(context.Background(), `SELECT coalesce(pg_total_relation_size(to_regclass($1)), 0)`, name).Scan(&n); err != nil {
			return where, 0
		}
		bytes += n
	}
	return where, bytes
}

// Tidy leaves it to PostgreSQL's autovacuum.
func (h *handle) Tidy(context.Context) {}
