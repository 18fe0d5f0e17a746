package index

import (
	"context"
	"database/sql"

	"agentflow/memory"
)

// edition is one state of an index: two transactions that see the same one
// see the same texts and vectors.
type edition struct {
	h      *handle
	tables int64  // grows when the tables are made anew
	meta   string // counts what is written to them
}

func editionOf(ctx context.Context, h *handle, c *sql.Conn) (edition, error) {
	e := edition{h: h}
	err := c.QueryRowContext(ctx, `SELECT (SELECT schema_version FROM pragma_schema_version), group_concat(quote(value)) FROM meta`).Scan(&e.tables, &e.meta)
	return e, err
}

// SearchListed is SyncListed and Search in less time: the index nearly always
// holds what is listed, so it is searched before that is known, and once more
// when something was written to it since. The report and syncErr are of the
// sync, whose failing is no reason not to search.
func (d *DB) SearchListed(ctx context.Context, l *Listing, q memory.Query) (hits []memory.Hit, report SyncReport, syncErr, err error) {
	hits, of, err := d.searched(ctx, q)
	report, syncErr = d.SyncListed(ctx, l)
	if err != nil || !d.stillIs(ctx, of) {
		hits, err = d.Search(ctx, q)
	}
	return hits, report, syncErr, err
}

// stillIs says whether an edition is the one that a search would see now.
func (d *DB) stillIs(ctx context.Context, of edition) bool {
	var now edition
	err := d.with(ctx, func(h *handle) error {
		return read(ctx, h.pool, func(c *sql.Conn) (err error) {
			now, err = editionOf(ctx, h, c)
			return err
		})
	})
	return err == nil && now == of
}
