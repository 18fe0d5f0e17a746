package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// mendVectors makes what is derived from the cache anew, on a handle whose
// vectors were found to contradict its texts. Chunks that have neither vector
// nor text to make one of are read again by the next Sync.
func (d *DB) mendVectors(ctx context.Context, h *handle, why error) error {
	err := write(ctx, h.pool, func(c *sql.Conn) error { return restoreBlocks(ctx, c) })
	if err != nil {
		return errors.Join(why, fmt.Errorf("mending the vectors: %w", err))
	}
	d.o.Notice(fmt.Sprintf("the vectors of the search index were mended: %v", why))
	return nil
}

func restoreBlocks(ctx context.Context, c *sql.Conn) error {
	m, err := readVectorMeta(ctx, c)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, `
		DELETE FROM blocks;
		DELETE FROM embeddings WHERE typeof(v)<>'blob' OR length(v) NOT IN (0, ?1);
		DELETE FROM pending WHERE chunk NOT IN (SELECT id FROM chunks);
		UPDATE files SET sig=x'', hash=x'' WHERE id IN (SELECT file FROM chunks
			WHERE embedding NOT IN (SELECT hash FROM embeddings) AND id NOT IN (SELECT chunk FROM pending));
		UPDATE meta SET value=x'' WHERE key='digest'`, scaleSize+m.dimensions)
	if err != nil {
		return err
	}
	m.vectors = 0
	if err := c.QueryRowContext(ctx, `SELECT count(*) FROM embeddings`).Scan(&m.cached); err != nil {
		return err
	}
	if err := m.write(ctx, c); err != nil {
		return err
	}
	return fillBlocks(ctx, c)
}

// fillBlocks puts every chunk that has a vector into its block.
func fillBlocks(ctx context.Context, c *sql.Conn) error {
	w, err := newVectorWriter(ctx, c)
	if err != nil {
		return err
	}
	defer w.close()
	rows, err := c.QueryContext(ctx, `SELECT c.id, e.v FROM chunks c JOIN embeddings e ON e.hash=c.embedding WHERE length(e.v)>0`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var packed sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &packed); err != nil {
			return err
		}
		if err := w.place(ctx, id, packed, nil); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return w.finish(ctx)
}
