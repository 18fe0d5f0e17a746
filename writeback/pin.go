package writeback

import (
	"context"
	"fmt"

	"agentflow/memory/markdown"
)

// Pinned is what Pin did.
type Pinned struct {
	Ref
	Changed bool // false: it was so already
}

// Pin marks the entry or fact with this full id as pinned, so that it does
// not age, or takes the mark off. Errors match ErrNotFound or ErrLocked.
func (s *Store) Pin(ctx context.Context, id string, pinned bool) (Pinned, error) {
	r, verb := record{Op: opPin, ID: id}, "pin"
	if !pinned {
		r.Op, verb = opUnpin, "unpin"
	}
	var done Pinned
	err := s.edit(ctx, verb, func(w *writer) (err error) {
		done, err = w.pin(ctx, r)
		return err
	})
	if err != nil {
		return done, fmt.Errorf("%s %s: %w", verb, id, err)
	}
	return done, nil
}

func (w *writer) pin(ctx context.Context, r record) (Pinned, error) {
	r.ID = w.owner(r.ID)
	names := w.filesWith(r.ID)
	if len(names) == 0 {
		return Pinned{}, ErrNotFound
	}
	_, taken, _ := cut(w.view.files[names[0]], r.ID)
	done := Pinned{Ref: Ref{ID: r.ID, Title: taken.Title, File: names[0]}}
	for _, name := range names {
		if markdown.Parse(w.view.files[name]).Pinned(r.ID) != (r.Op == opPin) {
			done.Changed = true
		}
	}
	if !done.Changed {
		return done, nil
	}
	if err := w.log(ctx, true, r); err != nil {
		return Pinned{}, err
	}
	return done, w.change(ctx, r)
}
