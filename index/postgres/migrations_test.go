package postgres

import (
	"os"
	"strings"
	"sync"
	"testing"

	"agentflow/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func connected(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return c
}

// TestMigrate checks that processes that start at once create the tables once,
// and that a newer database is refused.
func TestMigrate(t *testing.T) {
	dsn := pgtest.Database(t)
	var all sync.WaitGroup
	for range 4 {
		c := connected(t, dsn)
		all.Go(func() {
			if err := migrate(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	c := connected(t, dsn)
	var n int
	must(t, c.QueryRow(t.Context(), `SELECT count(*) FROM agentflow.version`).Scan(&n))
	if n != len(migrations) {
		t.Errorf("%d migrations were made, there are %d", n, len(migrations))
	}
	_, err := c.Exec(t.Context(), `INSERT INTO agentflow.version VALUES(1000)`)
	must(t, err)
	if err := migrate(t.Context(), c); err == nil || !strings.Contains(err.Error(), "update it") {
		t.Errorf("a newer database: %v", err)
	}
}

// TestPartitions makes an index's tables, attaches and drops them.
func TestPartitions(t *testing.T) {
	c := connected(t, pgtest.Database(t))
	must(t, migrate(t.Context(), c))
	_, err := c.Exec(t.Context(), `SET search_path=agentflow; INSERT INTO indexes(repository, identity, layout) VALUES('r', '', 1)`)
	must(t, err)
	must(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
		must(t, partition(t.Context(), tx, 1))
		_, err := tx.Exec(t.Context(), `INSERT INTO df_1 VALUES(1, 5, '\x00')`)
		must(t, err)
		return attach(t.Context(), tx, 1)
	}))
	count := func() (n int) {
		must(t, c.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM df) + (SELECT count(*) FROM indexes)`).Scan(&n))
		return n
	}
	if n := count(); n != 2 {
		t.Errorf("%d rows", n)
	}
	must(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error { return drop(t.Context(), tx, 1) }))
	if n := count(); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
