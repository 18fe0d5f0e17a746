package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/consolidate"
	"agentflow/memory"
	"agentflow/writeback"
)

// unite makes one of the facts that a run said and memory holds already, as
// when runs beside each other say the same. What cannot be done now, because
// others are writing, consolidation does.
func (s *site) unite(ctx context.Context, e memory.Entry) error {
	if !s.saidBefore(e) {
		return nil
	}
	err := s.revisePatiently(ctx, func(files map[string][]byte) (writeback.Change, error) {
		in := consolidate.Input{Files: files, Now: time.Now()}
		var err error
		if in.Forgotten, err = s.store.Barred(ctx); err != nil {
			return writeback.Change{}, err
		}
		return writeback.Change{Verb: "run", Title: "facts that were said before", Edits: consolidate.Unite(in, e.ID)}, nil
	})
	if err != nil && !errors.Is(err, writeback.ErrLocked) && ctx.Err() == nil {
		return fmt.Errorf("making one of facts that say the same: %w", err)
	}
	return nil
}

// revisePatiently is the store's Revise, which tries again while others are writing, until
// ctx ends.
func (s *site) revisePatiently(ctx context.Context, plan func(files map[string][]byte) (writeback.Change, error)) error {
	for {
		err := s.store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil {
			return err
		}
	}
}

// saidBefore says whether memory holds a fact beside the entry's own that says
// what one of these says.
func (s *site) saidBefore(e memory.Entry) bool {
	if len(e.Facts) == 0 {
		return false
	}
	now := time.Now()
	return slices.ContainsFunc(s.facts(), func(k storedFact) bool {
		return k.ID != "" && k.Live(now) && slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return k.ID != f.ID && sameFact(k.Fact, f) })
	})
}
