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

// sameFact says whether two facts of one memory say the same of the same
// namespace. In the user's own memory the project's name means all of it.
func sameFact(a, b memory.Fact) bool {
	place := func(f memory.Fact) string {
		if f.Namespace == memory.GlobalNamespace {
			return memory.ProjectNamespace
		}
		return memory.NamespaceOf(f.Namespace)
	}
	return place(a) == place(b) && consolidate.Same(a.Text) == consolidate.Same(b.Text)
}

// sameKey lists the other facts that hold in f's namespace and have its key.
func (s *openMemory) sameKey(f memory.Fact, now time.Time) []memory.Fact {
	if f.Key == "" {
		return nil
	}
	var list []memory.Fact
	for _, k := range s.facts() {
		if k.Key == f.Key && k.ID != f.ID && k.ID != f.Supersedes && k.Namespace == f.Namespace && k.Live(now) {
			list = append(list, k.Fact)
		}
	}
	return list
}

// mergeRepeated merges the facts of a run's entry with those that memory holds
// already, as when runs beside each other say the same. Where another process
// keeps the lock until ctx ends, consolidation merges them later.
func (s *openMemory) mergeRepeated(ctx context.Context, e memory.Entry) error {
	if !s.repeats(e) {
		return nil
	}
	err := s.revisePatiently(ctx, func(files map[string][]byte) (writeback.Change, error) {
		in := consolidate.Input{Files: files, Now: time.Now()}
		var err error
		if in.Forgotten, err = s.store.Barred(ctx); err != nil {
			return writeback.Change{}, err
		}
		return writeback.Change{Command: "run", Title: "facts that were said before", Edits: consolidate.Unite(in, e.ID)}, nil
	})
	if err != nil && !errors.Is(err, writeback.ErrLocked) && ctx.Err() == nil {
		return fmt.Errorf("merging facts that say the same: %w", err)
	}
	return nil
}

// revisePatiently is the store's Revise, tried again while other processes
// write, until ctx ends.
func (s *openMemory) revisePatiently(ctx context.Context, plan func(files map[string][]byte) (writeback.Change, error)) error {
	for {
		err := s.store.Revise(ctx, plan)
		if !errors.Is(err, writeback.ErrLocked) || ctx.Err() != nil {
			return err
		}
	}
}

// repeats says whether memory holds a fact beside the entry's own that says
// what one of these says.
func (s *openMemory) repeats(e memory.Entry) bool {
	if len(e.Facts) == 0 {
		return false
	}
	now := time.Now()
	return slices.ContainsFunc(s.facts(), func(k storedFact) bool {
		return k.ID != "" && k.Live(now) && slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return k.ID != f.ID && sameFact(k.Fact, f) })
	})
}
