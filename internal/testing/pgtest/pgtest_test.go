package pgtest

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(Run(m)) }

// TestKilledAndStartedAgain checks that committed rows survive a kill of the
// server.
func TestKilledAndStartedAgain(t *testing.T) {
	dsn := Database(t)
	write(t, dsn, `CREATE TABLE kept(n int); INSERT INTO kept VALUES(7)`)
	if err := one.server.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.Connect(t.Context(), dsn); err == nil {
		t.Fatal("a killed server answers")
	}
	if err := one.server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	var n int
	if err := c.QueryRow(t.Context(), `SELECT n FROM kept`).Scan(&n); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
}

// TestDatabasesAreApart checks that each test gets an empty database.
func TestDatabasesAreApart(t *testing.T) {
	write(t, Database(t), `CREATE TABLE mine(n int)`)
	write(t, Database(t), `CREATE TABLE mine(n int)`)
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return c
}

func write(t *testing.T, dsn, statements string) {
	t.Helper()
	if _, err := connect(t, dsn).Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}
