package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
)

// read runs f on one connection in a read transaction, so that all its queries
// see the same index.
func read(ctx context.Context, pool *sql.DB, f func(*sql.Conn) error) error {
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	defer rollback(ctx, c)
	if _, err := c.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	return f(c)
}

// write runs f on one connection in a transaction that holds the write lock
// from its first statement.
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
		rollback(ctx, c)
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

// rollback ends a transaction even if ctx has ended. It is also called after a
// failed BEGIN: if ctx ends during BEGIN, the driver returns an error, but the
// transaction may be open. ROLLBACK fails harmlessly if no transaction is open,
// because SQLite ended it or BEGIN did nothing.
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

// statements runs the statements of one transaction and prepares each when it
// is first used. After an error, which it keeps in err, it runs no more
// statements; the code that began the transaction checks err at the end. A
// prepared statement takes microseconds. The context is checked before each and
// does not interrupt it, because the driver would start a goroutine for that,
// which takes longer.
type statements struct {
	ctx      context.Context
	c        *sql.Conn
	prepared map[string]*sql.Stmt
	err      error
}

func newStatements(ctx context.Context, c *sql.Conn) *statements {
	return &statements{ctx: ctx, c: c, prepared: map[string]*sql.Stmt{}}
}

// Err returns the first error.
func (s *statements) Err() error { return s.err }

// Fail records an error, unless there is one already.
func (s *statements) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// prepare returns a prepared statement, or nil after an error.
func (s *statements) prepare(text string) *sql.Stmt {
	s.Fail(s.ctx.Err())
	if s.err != nil {
		return nil
	}
	if p := s.prepared[text]; p != nil {
		return p
	}
	p, err := s.c.PrepareContext(s.ctx, text)
	if err != nil {
		s.Fail(err)
		return nil
	}
	s.prepared[text] = p
	return p
}

// exec returns the id of the inserted row and the number of changed rows.
func (s *statements) exec(text string, args ...any) (inserted, changed int64) {
	p := s.prepare(text)
	if p == nil {
		return 0, 0
	}
	result, err := p.ExecContext(context.WithoutCancel(s.ctx), args...)
	if err == nil {
		inserted, err = result.LastInsertId()
	}
	if err == nil {
		changed, err = result.RowsAffected()
	}
	s.Fail(err)
	return inserted, changed
}

// row reads the columns of the only row of a query, and reports whether there
// is one.
func (s *statements) row(into []any, text string, args ...any) bool {
	p := s.prepare(text)
	if p == nil {
		return false
	}
	err := p.QueryRowContext(context.WithoutCancel(s.ctx), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	s.Fail(err)
	return err == nil
}

// one is row for a query that must have a row.
func (s *statements) one(into []any, text string, args ...any) {
	if !s.row(into, text, args...) {
		s.Fail(sql.ErrNoRows)
	}
}

// each runs f for each row of a query that may take long, and stops when the
// context ends.
func (s *statements) each(f func(scan) error, query string, args ...any) {
	if s.err == nil {
		s.Fail(each(s.ctx, s.c, f, query, args...))
	}
}

// listOf reads the only column of a query that may take long.
func listOf[T any](s *statements, query string, args ...any) (list []T) {
	if s.err == nil {
		list, s.err = column[T](s.ctx, s.c, query, args...)
	}
	return list
}

func (s *statements) close() {
	for _, p := range s.prepared {
		_ = p.Close()
	}
}

// blob returns b, but never nil, which would be NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// idList formats ids for a SQL IN list.
func idList[T ~int64 | uint32](ids []T) string {
	var b []byte
	for _, id := range ids {
		b = append(strconv.AppendInt(b, int64(id), 10), ',')
	}
	return strings.TrimSuffix(string(b), ",")
}
