package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync/atomic"
	"testing"

	"agentflow/index/store"
)

// endsWhenAsked is a context that ends after a given number of calls of Done.
// So a test can end it at each place where the code checks it.
type endsWhenAsked struct {
	context.Context
	end   func()
	lives *atomic.Int32
}

func (c endsWhenAsked) Done() <-chan struct{} {
	if c.lives.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Done()
}

// TestNoTransactionIsLeftOpen ends contexts at each place where a transaction
// checks them, also during BEGIN. The next transaction on the same connection
// must begin.
func TestNoTransactionIsLeftOpen(t *testing.T) {
	pool := made(t)
	for name, transaction := range map[string]func(context.Context, *sql.DB, func(*sql.Conn) error) error{"read": read, "write": write} {
		for i := range 6000 {
			ctx, cancel := context.WithCancel(t.Context())
			lives := new(atomic.Int32)
			lives.Store(int32(i%12 + 1))
			_ = transaction(endsWhenAsked{ctx, cancel, lives}, pool, func(*sql.Conn) error { return nil })
			cancel()
			if err := transaction(t.Context(), pool, func(*sql.Conn) error { return nil }); err != nil {
				t.Fatalf("%s, after a context that ended when it was asked for the %dth time: %v", name, i%12+1, err)
			}
		}
	}
}

// TestStatementThatCannotBePrepared closes statements after preparing one of
// them failed, as also happens when the context ends meanwhile.
func TestStatementThatCannotBePrepared(t *testing.T) {
	pool := made(t)
	err := read(t.Context(), pool, func(c *sql.Conn) error {
		st := newStatements(t.Context(), c)
		defer st.close()
		st.exec(`DELETE FROM nothing`)
		return st.err
	})
	if err == nil {
		t.Error("no error")
	}
}

// made returns the pool of a new index.
func made(t *testing.T) *sql.DB {
	t.Helper()
	s, err := Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "index.db"), Notice: func(n string) { t.Error(n) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.(*Store).h.pool
}
