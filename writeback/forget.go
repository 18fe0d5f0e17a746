package writeback

import (
	"context"
	"errors"
	"fmt"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/view"
)

// Restore brings vanished or forgotten entries and facts back from the log. A forgotten one loses
// its tombstone. An entry is appended to its former file, a fact to MEMORY.md, a judgement to the
// feedback file. A purged one cannot come back: the error matches ErrForgotten. The error for an
// unknown id matches ErrNotFound. Restore restores all ids or none.
func (s *Store) Restore(ctx context.Context, ids []string) ([]Ref, error) {
	var refs []Ref
	err := s.edit(ctx, "restore", func(w *writer) error {
		var records []journal.Record
		for _, id := range ids {
			r, err := restoring(w.View, id)
			if err != nil {
				return fmt.Errorf("%s: %w", memory.ShortID(id), err)
			}
			records = append(records, r)
		}
		if len(records) == 0 {
			return nil
		}
		if err := w.Log(ctx, true, records...); err != nil {
			return err
		}
		for _, r := range records {
			refs = append(refs, Ref{ID: r.ID, Title: r.Title, File: r.File})
		}
		return w.finish(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("restoring memory: %w", err)
	}
	return refs, nil
}

func restoring(v *view.View, id string) (journal.Record, error) {
	l, ok := v.Lost[id]
	switch {
	case !ok && v.Tombs[items.Tombstone(id)]:
		return journal.Record{}, errors.Join(ErrForgotten, errors.New("its text was purged"))
	case !ok:
		return journal.Record{}, ErrNotFound
	}
	r := journal.Record{Op: journal.OpRestore, ID: id, File: l.File, Title: l.Title, Text: l.Text}
	if !items.IsEntry(l.Text) && !items.IsWhole(id) && l.File != memory.FeedbackFile {
		r.File = memory.LastingFile // a forgotten fact belongs to no entry
		if facts := markdown.Parse(l.Text).Facts(); len(facts) == 1 {
			r.Text = markdown.MoveBullet(facts[0].Raw, facts[0].Fact)
		}
	}
	return r, nil
}
