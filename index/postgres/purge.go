package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/index/store"
	"agentflow/memory/digest"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Purge removes every chunk with these ids and rewrites the tables, because
// PostgreSQL keeps removed rows in them. It cannot reach the server's log and
// backups.
func (s *Store) Purge(ctx context.Context, ids []string) error {
	return s.With(ctx, func(h store.Handle) error {
		g := h.(*handle)
		if state, _ := h.State(); state == store.Current {
			if err := h.Update(ctx, func(w store.Update) error { return w.(*update).purge(ids) }); err != nil {
				return err
			}
		} // otherwise the next Sync rebuilds the index
		return storeError(g.rewrite(ctx))
	})
}

func (u *update) purge(ids []string) error {
	for _, id := range ids {
		u.forget(id)
	}
	u.vectors.write(true)
	u.vectors.trim() // also removes the vectors of earlier removals
	return u.Finish(store.Documents, nil)
}

// forget removes the chunks that contain an entry or a fact. The next Sync
// reads their files again.
func (u *update) forget(id string) {
	files := scanned[int64](u, `SELECT file FROM `+u.table("names")+` WHERE index=$1 AND name=$2 UNION SELECT file FROM `+u.table("chunks")+` WHERE index=$1 AND entry=$3`,
		u.m.id, int64(digest.ByID(id)), id)
	var chunks []int64
	for _, file := range files {
		found := scanned[int64](u, `SELECT id FROM `+u.table("chunks")+` WHERE file=$1 AND entry=$2`, file, id)
		for _, f := range u.factsOf(file) {
			if f.Has(id) {
				found = append(found, scanned[int64](u, `SELECT id FROM `+u.table("chunks")+` WHERE file=$1 AND start<=$2 AND stop>=$3`, file, f.EndLine, f.StartLine)...)
			}
		}
		if len(found) > 0 {
			u.exec(`UPDATE `+u.table("files")+` SET sig='', hash='', digest=NULL WHERE index=$1 AND id=$2`, u.m.id, file)
		}
		chunks = append(chunks, found...)
	}
	slices.Sort(chunks)
	u.Remove(slices.Compact(chunks))
}

// factsOf returns the facts of a file according to its digest, or none if it
// has no digest.
func (u *update) factsOf(file int64) []digest.Fact {
	found := scanned[[]byte](u, `SELECT digest FROM `+u.table("files")+` WHERE index=$1 AND id=$2 AND digest IS NOT NULL`, u.m.id, file)
	if len(found) == 0 {
		return nil
	}
	d, err := digest.Decode(found[0])
	if err != nil {
		u.Fail(fmt.Errorf("%w: %w", store.ErrDamaged, err))
		return nil
	}
	return d.Facts
}

// rewrite rewrites the tables of a generation without removed rows.
func (h *handle) rewrite(ctx context.Context) error {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = fmt.Sprintf("%s_%d", t, h.now.Load().id)
	}
	return h.s.unhurried(ctx, func(c *pgxpool.Conn) error {
		if err := waitForReaders(ctx, c); err != nil {
			return err
		}
		_, err := c.Exec(ctx, `VACUUM FULL `+strings.Join(names, ", "))
		return err
	})
}

// readersWait limits how long waitForReaders waits.
const readersWait = 30 * time.Second

// waitForReaders waits until no transaction sees rows that were removed before: PostgreSQL
// keeps these rows for it, also in a table that it writes again. It returns store.ErrBusy
// if such a transaction does not end. It does not see transactions of other roles.
func waitForReaders(ctx context.Context, c *pgxpool.Conn) error {
	var now string
	if err := c.QueryRow(ctx, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text`).Scan(&now); err != nil {
		return err
	}
	for deadline := time.Now().Add(readersWait); ; {
		var open bool
		err := c.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname=current_database() AND pid<>pg_backend_pid() AND age(backend_xmin) > age(xid($1::text::xid8)))`, now).Scan(&open)
		switch {
		case err != nil || !open:
			return err
		case time.Now().After(deadline):
			return fmt.Errorf("%w: a transaction that still reads removed rows does not end", store.ErrBusy)
		case !pause(ctx, 1):
			return ctx.Err()
		}
	}
}
