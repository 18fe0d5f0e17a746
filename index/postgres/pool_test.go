package postgres

import (
	"sync"
	"testing"
	"time"

	"agentflow/index/store"
	"agentflow/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

// TestConnectionsAreBounded checks that any number of open indexes and of
// concurrent searches in a process uses no more connections than one pool.
func TestConnectionsAreBounded(t *testing.T) {
	dsn := pgtest.Database(t)
	watcher, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(t.Context())
	var stores []store.Store
	for range 3 * MaxConnections {
		s, err := Open(t.Context(), store.Options{DSN: dsn, Repository: "one", Identity: "x", Notice: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	var all sync.WaitGroup
	for _, s := range stores {
		all.Go(func() {
			err := s.With(t.Context(), func(h store.Handle) error { return h.View(t.Context(), func(v store.View) error { return nil }) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := connections(t, watcher); n < 1 || n > MaxConnections {
		t.Errorf("%d connections, want 1 to %d", n, MaxConnections)
	}
	for _, s := range stores {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	// The server ends its process for a connection after the client has closed it.
	deadline := time.Now().Add(20 * time.Second)
	n := connections(t, watcher)
	for n != 0 && time.Now().Before(deadline) {
		n = connections(t, watcher)
	}
	if n != 0 {
		t.Errorf("%d connections after the last store was closed", n)
	}
}

func connections(t *testing.T, c *pgx.Conn) (n int) {
	t.Helper()
	err := c.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname=current_database() AND pid<>pg_backend_pid() AND application_name='agentflow'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOneConnectionIsEnough checks that no call holds a connection while it
// waits for another.
func TestOneConnectionIsEnough(t *testing.T) {
	s, err := Open(t.Context(), store.Options{DSN: pgtest.Database(t) + " pool_max_conns=1", Repository: "one", Identity: "x", Notice: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.(*Store).writers.Config().MaxConns; n != 1 {
		t.Fatalf("%d connections are allowed", n)
	}
	err = s.With(t.Context(), func(h store.Handle) error {
		h.Tidy(t.Context())
		if _, err := h.Anew(t.Context(), true, func(store.Update) error { return nil }); err != nil {
			return err
		}
		return h.View(t.Context(), func(v store.View) error { return nil })
	})
	if err == nil {
		err = s.Purge(t.Context(), []string{"none"})
	}
	if err != nil {
		t.Error(err)
	}
}
