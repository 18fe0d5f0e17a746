package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"agentflow/index/store"
)

var errClosed = errors.New("the index is closed")

// With runs op on the current handle. A file that was replaced or deleted since
// is opened again first. A file that op finds damaged is replaced, and op runs
// again. A file that cannot be written is replaced by an index in memory.
func (s *Store) With(ctx context.Context, op func(store.Handle) error) error {
	return storeError(s.with(ctx, func(h *handle) error { return op(h) }))
}

func (s *Store) with(ctx context.Context, op func(*handle) error) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	h, err := s.use(op)
	switch {
	case err == nil || s.path == "" || h == nil || h.info == nil:
		return err
	case isDamage(err) || errors.Is(err, store.ErrVectors):
		err = s.inPlaceOf(h, func() error { return s.rebuild(ctx, h, err) })
	case isUnwritable(err):
		err = s.inPlaceOf(h, func() error { return s.swapForMemory(ctx, err) })
	default:
		return err
	}
	if err == nil {
		_, err = s.use(op)
	}
	return err
}

// inPlaceOf replaces a handle, unless another goroutine already has.
func (s *Store) inPlaceOf(h *handle, replace func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.h != h || s.closed {
		return nil
	}
	return replace()
}

func (s *Store) use(op func(*handle) error) (*handle, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	return s.h, op(s.h)
}

// InMemory reports whether the index is kept in memory, only for this process.
func (s *Store) InMemory() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.h == nil || s.h.info == nil
}

// refresh opens the file again if there is now another file at its path.
func (s *Store) refresh(ctx context.Context) error {
	s.mu.RLock()
	same := s.closed || s.h.isAt(s.path)
	s.mu.RUnlock()
	if same {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.h.isAt(s.path) {
		return nil
	}
	return s.reopen(ctx)
}

// isAt reports whether h's file is still at path. An index in memory always is.
func (h *handle) isAt(path string) bool {
	if h.info == nil {
		return true
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, h.info)
}

// reopen replaces the handle; s.mu is held for writing.
func (s *Store) reopen(ctx context.Context) error {
	old := s.h
	if err := s.open(ctx); err != nil {
		return fmt.Errorf("opening the index again: %w", err)
	}
	_ = old.close() // the file is no longer the index
	return nil
}

// rebuild replaces the file that h found damaged; s.mu is held for writing. If
// only the vectors contradict the texts, the next Sync rebuilds the tables and
// the cache of vectors stays.
func (s *Store) rebuild(ctx context.Context, h *handle, damage error) error {
	if s.o.ReadOnly {
		return s.swapForMemory(ctx, damage)
	}
	if errors.Is(damage, store.ErrVectors) {
		s.h = &handle{Store: s, pool: h.pool, info: h.info, state: store.Stale, why: damage.Error()}
		_, err := h.pool.ExecContext(ctx, `UPDATE meta SET value='' WHERE key='identity'`)
		return err
	}
	unlock, err := lockSwap(ctx, s.path+".lock", true)
	if err != nil {
		return err
	}
	if h.isAt(s.path) {
		err = moveAside(s.path)
		if err == nil {
			s.o.Notice(fmt.Sprintf("the search index was rebuilt: it was damaged (%v)", damage))
		}
	}
	unlock()
	if err != nil {
		return s.swapForMemory(ctx, err)
	}
	return s.reopen(ctx)
}

func (s *Store) swapForMemory(ctx context.Context, why error) error {
	old := s.h
	if err := s.openMemory(ctx, why); err != nil {
		return err
	}
	_ = old.close()
	return nil
}

// View runs f in a read transaction.
func (h *handle) View(ctx context.Context, f func(store.View) error) error {
	return storeError(h.view(ctx, func(v *view) error { return f(v) }))
}

func (h *handle) view(ctx context.Context, f func(*view) error) error {
	return read(ctx, h.pool, func(c *sql.Conn) error {
		v := &view{statements: newStatements(ctx, c), h: h}
		defer v.close()
		if err := f(v); err != nil {
			return err
		}
		return v.err
	})
}

// Update runs f in a transaction that holds the write lock.
func (h *handle) Update(ctx context.Context, f func(store.Update) error) error {
	return storeError(write(ctx, h.pool, func(c *sql.Conn) error { return h.update(ctx, c, f) }))
}

func (h *handle) update(ctx context.Context, c *sql.Conn, f func(store.Update) error) error {
	w := newWriter(ctx, c, h.o)
	defer w.close()
	if err := f(w); err != nil {
		return err
	}
	return w.err
}

// Anew replaces the tables and fills them in one transaction: readers see the
// old index until the new one is complete. done is false if another process
// replaced them first.
func (h *handle) Anew(ctx context.Context, always bool, f func(store.Update) error) (done bool, err error) {
	err = write(ctx, h.pool, func(c *sql.Conn) error {
		if now, err := look(ctx, c); err != nil {
			return err
		} else if state, _ := decide(now, h.o.Identity); state == store.Current && !always {
			return nil
		}
		done = true
		if err := createSchema(ctx, c, h.o); err != nil {
			return err
		}
		return h.update(ctx, c, f)
	})
	if err != nil {
		return false, storeError(err)
	}
	if !h.current() {
		h.replaced.Store(true)
		if done {
			h.o.Notice("the search index was rebuilt: " + h.why)
		}
	}
	return done, nil
}

// InMemory reports whether the index is in memory.
func (h *handle) InMemory() bool { return h.info == nil }

// Place returns the path of the file, and its size together with its
// write-ahead log.
func (h *handle) Place(context.Context) (where string, bytes int64) {
	if h.InMemory() {
		return "", 0
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(h.path + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return h.path, bytes
}

// spareBytes limits free space. From this size, Tidy returns it to the
// system, if it is also more than a third of the file.
const spareBytes = 4 << 20

// Tidy returns free space to the system. It ignores failures, because the next
// Sync that removes something tries again.
func (h *handle) Tidy(ctx context.Context) {
	if h.o.ReadOnly || h.info == nil {
		return
	}
	var pages, free, size int64
	err := read(ctx, h.pool, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, `SELECT p.page_count, f.freelist_count, s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).
			Scan(&pages, &free, &size)
	})
	if err == nil && free*size > spareBytes && 3*free > pages {
		_ = compact(ctx, h)
	}
}
