package writeback

import (
	"context"
	"fmt"
	"time"

	"agentflow/memory"
)

// Meta is where a note was made; any part may be empty.
type Meta struct{ Branch, Worktree, Base string }

// Remember records one fact as a note entry of its own and gives the entry
// and its file. f.ID and f.Source are filled in when they are empty. Errors
// are Record's.
func (s *Store) Remember(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (memory.Entry, string, error) {
	e, err := s.note(f, now, meta)
	if err != nil {
		return memory.Entry{}, "", err
	}
	path, _, err := s.Record(ctx, e)
	return e, path, err
}

// note is the entry of one fact.
func (s *Store) note(f memory.Fact, now time.Time, meta Meta) (memory.Entry, error) {
	id, err := memory.NewID(now, s.Rand)
	if err == nil && f.ID == "" {
		f.ID, err = memory.NewID(now, s.Rand)
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
