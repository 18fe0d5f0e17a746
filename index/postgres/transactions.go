package postgres

import (
	"context"
	"errors"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5"
)

// Update locks the generation and runs f in one transaction.
func (h *handle) Update(ctx context.Context, f func(store.Update) error) error {
	return storeError(pgx.BeginFunc(ctx, h.s.writers, func(tx pgx.Tx) error {
		var m meta
		err := tx.QueryRow(ctx, `SELECT `+metaColumns+` FROM indexes WHERE id=$1 AND live FOR UPDATE`, h.now.Load().id).Scan(m.into()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return errReplaced
		}
		if err != nil {
			return waited(ctx, err)
		}
		u := newUpdate(ctx, tx, m, h.s.o.Embedder, false)
		if err := f(u); err != nil {
			return err
		}
		err = u.sent()
		u.analyze()
		return err
	}))
}

// waited adds store.ErrBusy to the error of a statement that waited for a lock
// until ctx ended.
func waited(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.Join(store.ErrBusy, err)
	}
	return err
}

// Anew fills a new generation and replaces the current one with it.
func (h *handle) Anew(ctx context.Context, always bool, f func(store.Update) error) (done bool, err error) {
	var now generation
	err = pgx.BeginFunc(ctx, h.s.writers, func(tx pgx.Tx) (err error) {
		// Only one process at a time rebuilds a repository's index.
		if _, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, migrationLock, h.s.o.Repository); err != nil {
			return waited(ctx, err)
		}
		if now, err = h.s.live(ctx, tx); err != nil || now.state == store.Current && !always {
			return err
		}
		now, done = generation{state: store.Current}, true
		if now.id, err = h.s.begin(ctx, tx); err == nil {
			err = h.fill(ctx, tx, now.id, f)
		}
		if err == nil {
			err = h.s.goLive(ctx, tx, now.id)
		}
		return err
	})
	if err != nil {
		return false, storeError(err)
	}
	if _, why := h.State(); done && why != "" {
		h.s.o.Notice("the search index was rebuilt: " + why)
	}
	h.now.Store(&now)
	return done, nil
}

// fill runs f on the tables of a generation that no reader sees yet.
func (h *handle) fill(ctx context.Context, tx pgx.Tx, id int, f func(store.Update) error) error {
	m := meta{id: id, vectors: store.Vectors{Embedder: h.s.o.Embedder}}
	if err := m.keepVectors(ctx, tx, h.s.o.Repository); err != nil {
		return err
	}
	u := newUpdate(ctx, tx, m, h.s.o.Embedder, true)
	if err := f(u); err != nil {
		return err
	}
	if err := u.sent(); err != nil {
		return err
	}
	u.analyze()
	_ = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // after a failure Tidy tries again
		_, err := tx.Exec(ctx, `SET LOCAL statement_timeout=0`)
		return errors.Join(err, indexVectors(ctx, tx, &u.m, ""))
	})
	return nil
}

// analyze makes PostgreSQL sample the tables if the index more than doubled.
// Autovacuum does it up to a minute later. Until then a search would be planned
// for empty tables and read all vectors once for each hit.
func (u *update) analyze() {
	if u.err != nil || u.m.chunks <= 2*u.held {
		return
	}
	_ = pgx.BeginFunc(u.ctx, u.tx, func(tx pgx.Tx) error { // after a failure autovacuum does it
		_, err := tx.Exec(u.ctx, `SET LOCAL statement_timeout=0`)
		for _, t := range tables {
			if err == nil {
				_, err = tx.Exec(u.ctx, `ANALYZE (SKIP_LOCKED) `+u.table(t))
			}
		}
		return err
	})
}
