package index

import (
	"context"
	"slices"

	"agentflow/index/sources"
	"agentflow/index/store"
)

// from returns the sources of the last Sync.
func (d *DB) from() []Source {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.sources)
}

// takeUp records h as the handle in use and reports whether it already was.
func (d *DB) takeUp(h store.Handle) (known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, d.filled = d.filled == h, h
	return known
}

// withFilled is With for calls that read: before op runs on a handle that was
// replaced, the handle is filled from the sources of the last Sync.
func (d *DB) withFilled(ctx context.Context, op func(store.Handle) error) error {
	return d.With(ctx, func(h store.Handle) error {
		if from := d.from(); !d.takeUp(h) && len(from) > 0 {
			if err := d.fill(ctx, h, from); err != nil {
				return err
			}
		}
		return op(h)
	})
}

// isCurrent reports whether a handle's tables have this version.
func isCurrent(h store.Handle) bool {
	state, _ := h.State()
	return state == store.Current
}

// view runs op in a read transaction on an index of this version.
func (d *DB) view(ctx context.Context, op func(store.Handle, store.View) error) error {
	return d.withFilled(ctx, func(h store.Handle) error {
		if !isCurrent(h) {
			return ErrNotReady
		}
		return h.View(ctx, func(v store.View) error { return op(h, v) })
	})
}

// fill brings h up to date with sources.
func (d *DB) fill(ctx context.Context, h store.Handle, from []Source) error {
	l, err := sources.List(ctx, d.now(), from).Wait()
	if err != nil {
		return err
	}
	s := syncer{h: h, o: d.o, l: l, now: d.now(), report: &SyncReport{}}
	return s.run(ctx)
}
