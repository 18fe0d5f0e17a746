package writeback

import (
	"context"
	"fmt"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// Pinned is the result of Pin.
type Pinned struct {
	Ref
	Changed bool // false: it was pinned, or unpinned, already
}

// Pin marks the entry or fact with this full id as pinned, so that it does not age, or removes the
// mark. Errors match ErrNotFound or ErrLocked.
func (s *Store) Pin(ctx context.Context, id string, pinned bool) (Pinned, error) {
	r, command := journal.Record{Op: journal.OpPin, ID: id}, "pin"
	if !pinned {
		r.Op, command = journal.OpUnpin, "unpin"
	}
	var done Pinned
	err := s.edit(ctx, command, func(w *writer) (err error) {
		done, err = w.pin(ctx, r)
		return err
	})
	if err != nil {
		return done, fmt.Errorf("%s %s: %w", command, memory.ShortID(id), err)
	}
	return done, nil
}

func (w *writer) pin(ctx context.Context, r journal.Record) (Pinned, error) {
	r.ID = w.Owner(ctx, r.ID)
	names := w.FilesWith(ctx, r.ID)
	if len(names) == 0 {
		return Pinned{}, ErrNotFound
	}
	_, taken, _ := items.Cut(w.View.Files.Get(names[0]), r.ID)
	done := Pinned{Ref: Ref{ID: r.ID, Title: taken.Title, File: names[0]}}
	for _, name := range names {
		if markdown.Parse(w.View.Files.Get(name)).Pinned(r.ID) != (r.Op == journal.OpPin) {
			done.Changed = true
		}
	}
	if !done.Changed {
		return done, nil
	}
	if err := w.Log(ctx, true, r); err != nil {
		return Pinned{}, err
	}
	return done, w.amender.change(ctx, r)
}
