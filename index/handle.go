package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"agentflow/index/sources"
)

var errClosed = errors.New("the index is closed")

// with runs op on the current handle. A file that was swapped or deleted
// behind the handle is opened anew first; one that op finds damaged is
// replaced and op runs once more; one that cannot be written gives way to an
// index in memory.
func (d *DB) with(ctx context.Context, op func(h *handle) error) error {
	if err := d.refresh(ctx); err != nil {
		return err
	}
	h, err := d.use(op)
	switch {
	case err == nil || d.path == "" || h == nil || h.info == nil:
		return err
	case isDamage(err) || errors.Is(err, errBlocks):
		err = d.inPlaceOf(h, func() error { return d.rebuild(ctx, h, err) })
	case isUnwritable(err):
		err = d.inPlaceOf(h, func() error { return d.swapForMemory(ctx, err) })
	default:
		return err
	}
	if err == nil {
		_, err = d.use(op)
	}
	return err
}

// inPlaceOf replaces a handle, unless somebody has already.
func (d *DB) inPlaceOf(h *handle, replace func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.h != h || d.closed {
		return nil
	}
	return replace()
}

func (d *DB) use(op func(h *handle) error) (*handle, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, errClosed
	}
	return d.h, op(d.h)
}

// InMemory says whether the index is kept in memory, for this process alone.
func (d *DB) InMemory() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.h == nil || d.h.info == nil
}

// refresh opens the file again when another one stands at its path now.
func (d *DB) refresh(ctx context.Context) error {
	d.mu.RLock()
	same := d.closed || d.h.isAt(d.path)
	d.mu.RUnlock()
	if same {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.h.isAt(d.path) {
		return nil
	}
	return d.reopen(ctx)
}

// isAt says whether h's file still stands at path; an index in memory does.
func (h *handle) isAt(path string) bool {
	if h.info == nil {
		return true
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, h.info)
}

// reopen replaces the handle; d.mu is held for writing.
func (d *DB) reopen(ctx context.Context) error {
	old := d.h
	if err := d.open(ctx); err != nil {
		return fmt.Errorf("opening the index again: %w", err)
	}
	_ = old.close() // the file is not the index any more
	return nil
}

// rebuild replaces the file that h found damaged; d.mu is held for writing.
// Where only vectors contradict texts, the next Sync makes the tables anew: the
// cache of vectors stays.
func (d *DB) rebuild(ctx context.Context, h *handle, damage error) error {
	if d.o.ReadOnly {
		return d.swapForMemory(ctx, damage)
	}
	if errors.Is(damage, errBlocks) {
		d.h = &handle{pool: h.pool, info: h.info, state: Stale, why: damage.Error()}
		_, err := h.pool.ExecContext(ctx, `UPDATE meta SET value='' WHERE key='identity'`)
		return err
	}
	unlock, err := lockSwap(ctx, d.path+".lock", true)
	if err != nil {
		return err
	}
	if h.isAt(d.path) {
		err = moveAside(d.path)
		if err == nil {
			d.o.Notice(fmt.Sprintf("the search index was rebuilt: it was damaged (%v)", damage))
		}
	}
	unlock()
	if err != nil {
		return d.swapForMemory(ctx, err)
	}
	return d.reopen(ctx)
}

func (d *DB) swapForMemory(ctx context.Context, why error) error {
	old := d.h
	if err := d.openMemory(ctx, why); err != nil {
		return err
	}
	_ = old.close()
	return nil
}

// withFilled is with for calls that read: a handle that had to be replaced is
// filled from the sources of the last Sync before op runs on it.
func (d *DB) withFilled(ctx context.Context, op func(h *handle) error) error {
	d.mu.RLock()
	before := d.h
	d.mu.RUnlock()
	return d.with(ctx, func(h *handle) error {
		if h == before || len(d.sources) == 0 {
			return op(h)
		}
		before = h
		if err := d.fill(ctx, h); err != nil {
			return err
		}
		return op(h)
	})
}

// view runs op in one read transaction on an index of this version.
func (d *DB) view(ctx context.Context, op func(*handle, *sql.Conn) error) error {
	return d.withFilled(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return read(ctx, h.pool, func(c *sql.Conn) error { return op(h, c) })
	})
}

// fill brings h up to date with the sources of the last Sync.
func (d *DB) fill(ctx context.Context, h *handle) error {
	l, err := sources.List(ctx, d.now(), d.sources).Wait()
	if err != nil {
		return err
	}
	s := syncer{h: h, o: d.o, l: l, now: d.now(), report: &SyncReport{}}
	return s.run(ctx)
}
