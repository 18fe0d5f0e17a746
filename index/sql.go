package index

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
)

// read runs f on one connection in one read transaction, so that all its
// queries see the same index.
func read(ctx context.Context, pool *sql.DB, f func(*sql.Conn) error) error {
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	defer rollback(ctx, c)
	return f(c)
}

// write runs f on one connection in one transaction that holds the write
// lock from its first statement.
func write(ctx context.Context, pool *sql.DB, f func(*sql.Conn) error) error {
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := keepInMemory(ctx, c, usualCache); err != nil {
		return asBusy(ctx, err)
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return asBusy(ctx, err)
	}
	if err = f(c); err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		rollback(ctx, c)
	}
	return err
}

// rollback ends a transaction even when ctx is done. SQLite has ended it by
// itself after some errors; that is no second error.
func rollback(ctx context.Context, c *sql.Conn) {
	_, _ = c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
}

// scan reads the columns of a row.
type scan func(into ...any) error

// each runs f for each row of a query.
func each(ctx context.Context, c *sql.Conn, f func(scan) error, query string, args ...any) error {
	rows, err := c.QueryContext(ctx, query, args...)
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

// column reads the only column of a query.
func column[T any](ctx context.Context, c *sql.Conn, query string, args ...any) (list []T, err error) {
	err = each(ctx, c, func(scan scan) error {
		var v T
		err := scan(&v)
		list = append(list, v)
		return err
	}, query, args...)
	return list, err
}

// statements prepares each statement when it is first needed. They take
// microseconds: a context is looked at before each and does not interrupt it,
// as the driver would start a goroutine for that, which takes longer.
type statements struct {
	c        *sql.Conn
	prepared map[string]*sql.Stmt
}

func newStatements(c *sql.Conn) statements { return statements{c, map[string]*sql.Stmt{}} }

func (s statements) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if p := s.prepared[text]; p != nil {
		return p, ctx.Err()
	}
	p, err := s.c.PrepareContext(ctx, text)
	if err == nil {
		s.prepared[text] = p
	}
	return p, err
}

func (s statements) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	p, err := s.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return p.ExecContext(context.WithoutCancel(ctx), args...)
}

// row reads the columns of the one row of a query.
func (s statements) row(ctx context.Context, into []any, text string, args ...any) error {
	p, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	return p.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(into...)
}

func (s statements) close() {
	for _, p := range s.prepared {
		_ = p.Close()
	}
}

// blob is never NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// idList writes ids as SQL does a list.
func idList[T int64 | uint32](ids []T) string {
	var b []byte
	for _, id := range ids {
		b = append(strconv.AppendInt(b, int64(id), 10), ',')
	}
	return strings.TrimSuffix(string(b), ",")
}
