package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback"
)

// OtherFact is another live fact with the same key.
type OtherFact struct {
	memory.Fact
	Author string // the person who shares it; empty: the user's own
}

// MergeRepeated merges the facts of a run's entry with the same facts in memory, for example from concurrent runs. If
// another process holds the lock until ctx ends, consolidation merges them later.
func MergeRepeated(ctx context.Context, s *app.Repo, e memory.Entry) error {
	if !repeats(ctx, s, e) {
		return nil
	}
	err := RevisePatiently(ctx, s, func(files map[string][]byte) (writeback.Change, error) {
		in := consolidate.Input{Files: files, Now: time.Now()}
		var err error
		if in.Forgotten, err = s.Store.Barred(ctx); err != nil {
			return writeback.Change{}, err
		}
		return writeback.Change{Command: "run", Title: "facts that were said before", Edits: consolidate.Unite(in, e.ID)}, nil
	})
	if err != nil && !errors.Is(err, writeback.ErrLocked) && ctx.Err() == nil {
		return fmt.Errorf("merging facts that say the same: %w", err)
	}
	return nil
}

// RevisePatiently calls the store's Revise again while other processes write, until ctx ends.
func RevisePatiently(ctx context.Context, s *app.Repo, plan func(files map[string][]byte) (writeback.Change, error)) error {
	for {
		err := s.Store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil {
			return err
		}
	}
}

// repeats reports whether memory holds another fact that states the same as a fact of the entry.
func repeats(ctx context.Context, s *app.Repo, e memory.Entry) bool {
	if len(e.Facts) == 0 {
		return false
	}
	now := time.Now()
	for k := range FactsNamed(ctx, s, lists.Mapped(e.Facts, func(f memory.Fact) digest.Name { return digest.ByGist(f.Gist()) })...) {
		if k.ID != "" && k.Live(now) && slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return k.ID != f.ID && app.SameFact(k.Fact, f) }) {
			return true
		}
	}
	return false
}
