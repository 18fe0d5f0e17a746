package writeback

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/trace"
)

// Judge records in the feedback file that an entry shown to a run was of no use to it. It fills in
// j.ID and j.Time. If the judgement is there already, Judge returns it and changes nothing. Errors
// match ErrLocked.
func (s *Store) Judge(ctx context.Context, j memory.Judgement) (noted memory.Judgement, known bool, err error) {
	err = s.edit(ctx, "forget --hit", func(w *writer) error {
		if noted, known = markdown.Judged(w.view.files.get(memory.FeedbackFile), j.Run, j.Entry); known {
			return nil
		}
		j.Time = s.Now()
		if j.ID, err = memory.NewID(j.Time, s.Rand); err != nil {
			return err
		}
		noted = j.Normal()
		r := journal.Record{Op: journal.OpEntry, ID: j.ID, File: memory.FeedbackFile, Title: noted.Title, Text: []byte(markdown.FormatJudgement(j))}
		if err := w.log(ctx, true, r); err != nil {
			return err
		}
		return w.finish(ctx)
	})
	if err != nil {
		return noted, known, fmt.Errorf("noting that run %s did not need %s: %w", j.Run, j.Entry, err)
	}
	return noted, known, nil
}

// judgedOf returns the ids of the judgements in text about the entry or run with this id. They
// quote its title or task.
func judgedOf(text []byte, id string) []string {
	var ids []string
	for _, j := range markdown.ParseJudgements(text) {
		if j.Entry == id || j.Run == id {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// judgementsQuoting returns the ids of the judgements, including forgotten ones, that name a run or
// entry by words of q. A note is named by its first fact.
func (v *view) judgementsQuoting(q trace.Quote) []string {
	texts := [][]byte{v.files.get(memory.FeedbackFile)}
	for _, l := range v.lost {
		if l.File == memory.FeedbackFile {
			texts = append(texts, l.text)
		}
	}
	var ids []string
	for _, j := range markdown.ParseJudgements(bytes.Join(texts, nil)) {
		if !q.Has(j.ID) && slices.ContainsFunc(q.Lines(), func(line string) bool {
			n := memory.Judgement{Task: line, Title: line}.Normal()
			return j.Title == n.Title || j.Task == n.Task
		}) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
