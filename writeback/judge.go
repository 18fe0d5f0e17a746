package writeback

import (
	"context"
	"fmt"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// Judge records in the feedback file that an entry shown to a run was of no use to it. It fills in
// j.ID and j.Time. If the judgement is there already, Judge returns it and changes nothing. Errors
// match ErrLocked.
func (s *Store) Judge(ctx context.Context, j memory.Judgement) (noted memory.Judgement, known bool, err error) {
	err = s.edit(ctx, "forget --hit", func(w *writer) error {
		if noted, known = markdown.Judged(w.View.Files.Get(memory.FeedbackFile), j.Run, j.Entry); known {
			return nil
		}
		j.Time = s.Now()
		if j.ID, err = memory.NewID(j.Time, s.Rand); err != nil {
			return err
		}
		noted = j.Normal()
		r := journal.Record{Op: journal.OpEntry, ID: j.ID, File: memory.FeedbackFile, Title: noted.Title, Text: []byte(markdown.FormatJudgement(j))}
		if err := w.Log(ctx, true, r); err != nil {
			return err
		}
		return w.finish(ctx)
	})
	if err != nil {
		return noted, known, fmt.Errorf("noting that run %s did not need %s: %w", j.Run, j.Entry, err)
	}
	return noted, known, nil
}
