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
)

// Become makes memory hold the files that plan gives, by name, and no others, as one change:
// another process, which writes the same memory in another place, made it so. plan gets the
// files that memory holds. Entries and facts that go are forgotten, and Restore brings them
// back; those that come, though they were forgotten here, are forgotten no more. Errors are
// Apply's.
func (s *Store) Become(ctx context.Context, command string, plan func(now map[string][]byte) map[string][]byte) error {
	err := s.edit(ctx, command, func(w *writer) error {
		c := w.becoming(plan(w.view.files.whole()))
		if c.Command = command; len(c.Edits) == 0 {
			return nil
		}
		return w.applyChange(ctx, c)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// becoming is the change that makes memory hold files.
func (w *writer) becoming(files map[string][]byte) (c Change) {
	before := w.view.files.whole()
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
	// What gains text comes first: text that moves is then never in no file.
	slices.SortStableFunc(c.Edits, func(a, b memory.FileEdit) int {
		return cmp.Compare(len(a.Before)-len(a.After), len(b.Before)-len(b.After))
	})
	stay := allIDs(files)
	for _, e := range c.Edits {
		c.Forget = append(c.Forget, goingIDs(e.Before, stay)...)
	}
	slices.Sort(c.Forget)
	c.Forget = slices.Compact(c.Forget)
	for id := range stay {
		if _, lost := w.view.lost[id]; lost {
			c.back = append(c.back, id)
		}
		if hash := tombstone(id); w.view.tombs[hash] {
			c.lift = append(c.lift, hash)
		}
	}
	slices.Sort(c.back)
	slices.Sort(c.lift)
	return c
}

// goingIDs are the entries and facts of a file that do not stay. A fact that goes with
// its entry goes by the entry's id.
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
