package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"agentflow/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TestPurgeWaitsForReaders checks that a table is not rewritten while a
// transaction sees removed rows, and that a later transaction does not delay
// this.
func TestPurgeWaitsForReaders(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	read := func() pgx.Tx {
		t.Helper()
		tx, err := pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err == nil {
			_, err = tx.Exec(t.Context(), `SELECT * FROM kept`)
		}
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	exec(`CREATE TABLE kept(n int)`)
	exec(`INSERT INTO kept VALUES(1)`)
	early := read()
	exec(`DELETE FROM kept`)
	late := read()
	defer func() { _ = late.Rollback(t.Context()) }()
	wait := func(ctx context.Context) error { // on a separate connection: a deadline closes it
		return pool.AcquireFunc(t.Context(), func(c *pgxpool.Conn) error { return waitForReaders(ctx, c) })
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := wait(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it did not wait for a transaction that reads removed rows: %v", err)
	}
	if err := early.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := wait(t.Context()); err != nil {
		t.Error(err)
	}
}
