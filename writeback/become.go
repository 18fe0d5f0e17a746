package writeback

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
)

// Become makes memory hold exactly the files that plan returns, by name, as one change. It adopts
// the result of another process that writes the same memory in another place. plan gets the files
// that memory holds. Entries and facts that are removed count as forgotten, and Restore can bring
// them back. Entries and facts that are added are no longer forgotten if they were. Errors are
// those of Apply.
func (s *Store) Become(ctx context.Context, command string, plan func(now map[string][]byte) map[string][]byte) error {
	err := s.edit(ctx, command, func(w *writer) error {
		c := w.changer.becoming(plan(w.View.Files.Whole()))
		if c.Command = command; len(c.Edits) == 0 {
			return nil
		}
		return w.changer.applyChange(ctx, c)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// becoming returns the change that makes memory hold files.
func (w changer) becoming(files map[string][]byte) (c Change) {
	before := w.View.Files.Whole()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := files[name]; !stays && !w.Untrusted(name) {
			c.Edits = append(c.Edits, memory.FileEdit{File: name, Before: before[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if old, there := before[name]; !there || !bytes.Equal(old, files[name]) {
			c.Edits = append(c.Edits, memory.FileEdit{File: name, Before: old, After: files[name]})
		}
	}
	// Edits that gain text come first, so that text that moves is in some file at all times.
	slices.SortStableFunc(c.Edits, func(a, b memory.FileEdit) int {
		return cmp.Compare(len(a.Before)-len(a.After), len(b.Before)-len(b.After))
	})
	stay := items.AllIDs(files)
	for _, e := range c.Edits {
		c.Forget = append(c.Forget, goingIDs(e.Before, stay)...)
	}
	slices.Sort(c.Forget)
	c.Forget = slices.Compact(c.Forget)
	for id := range stay {
		if _, lost := w.View.Lost[id]; lost {
			c.back = append(c.back, id)
		}
		if hash := items.Tombstone(id); w.View.Tombs[hash] {
			c.lift = append(c.lift, hash)
		}
	}
	slices.Sort(c.back)
	slices.Sort(c.lift)
	return c
}

// goingIDs returns the ids of the entries and facts of a file that do not stay. If an entry goes,
// its facts are not listed.
func goingIDs(src []byte, stay map[string]bool) (ids []string) {
	for _, b := range markdown.Parse(src).Blocks {
		if e := b.Entry; e != nil && !stay[e.ID] && (e.Kind != memory.KindNote || len(b.Facts) == 0) {
			ids = append(ids, e.ID)
			continue
		}
		for _, f := range b.Facts {
			if f.ID != "" && !stay[f.ID] {
				ids = append(ids, f.ID)
			}
		}
	}
	return ids
}
