package writeback

import (
	"context"
	"fmt"
	"time"

	"agentflow/memory"
	"agentflow/writeback/internal/options"
)

// Meta records where a note was made. Any field may be empty.
type Meta struct {
	Branch, Worktree, Base string
	Undo                   bool // Undo can take the note back
}

// Remembered is the outcome of a fact given to Remember.
type Remembered struct {
	Entry    memory.Entry // the note
	File     string       // its Markdown file, absolute
	Existing *Standing    // the fact, valid now, that says the same; the note was not written then. Nil: it was
	Struck   bool         // Existing now replaces another fact
}

// Remember records one fact as a note, unless memory says it already. It looks that up under the
// lock, so that only one of two processes that remember the same fact at the same time writes it.
// It fills in f.ID and f.Source if they are empty. Errors are those of Record.
func (s *Store) Remember(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (Remembered, error) {
	e, err := newNote(s.Place, f, now, meta)
	if err != nil {
		return Remembered{}, err
	}
	path, report, err := s.record(ctx, e, meta.Undo)
	done := Remembered{Entry: e, File: path}
	if repeated, ok := report.Repeated[e.ID]; ok {
		done.Existing = &repeated
	}
	return done, err
}

func newNote(o *options.Place, f memory.Fact, now time.Time, meta Meta) (memory.Entry, error) {
	id, err := memory.NewID(now, o.Rand)
	if err == nil && f.ID == "" {
		f.ID, err = memory.NewID(now, o.Rand)
	}
	if err != nil {
		return memory.Entry{}, fmt.Errorf("remembering: %w", err)
	}
	if f.Source == "" {
		f.Source = memory.ByHand
	}
	return memory.Entry{
		ID: id, Kind: memory.KindNote, Time: now.Truncate(time.Second),
		Branch: meta.Branch, Worktree: meta.Worktree, Base: meta.Base, Facts: []memory.Fact{f},
	}, nil
}
