package writeback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/settle"
	"agentflow/writeback/internal/turn"
	"agentflow/writeback/internal/view"
)

// writer is a turn with the parts that write in it. It brings the files up to date with the log.
type writer struct {
	*turn.Turn
	settler  settle.Settler
	appender appender
	amender  amender
	changer  changer
	purger   purger
}

// writer returns a writer that does not have the lock yet. It has options for itself, because
// finishTogether changes how this writer syncs.
func (s *Store) writer() *writer {
	o := *s.Place
	t := &turn.Turn{Place: &o, Logs: turn.Logs{Place: &o, Main: s.logs.Main, Spare: s.logs.Spare}, Folder: folder.Folder{Place: &o}, Archive: archive.Archive{Place: &o}, Report: &Report{}}
	w := &writer{Turn: t, settler: settle.Settler{Turn: t}, changer: changer{t}}
	w.appender = appender{t, w.settler}
	w.amender = amender{t, w.settler, w.appender}
	w.purger = purger{t, w.amender}
	return w
}

// begin takes the lock, waiting up to wait, and reads the part of the log after the position that
// was last seen.
func (s *Store) begin(ctx context.Context, command string, wait time.Duration) (*writer, error) {
	w := s.writer()
	if err := w.Acquire(ctx, command, wait); err != nil {
		return nil, err
	}
	err := w.Open(ctx)
	if err == nil && len(w.View.Pending) > 0 {
		w.TidyUp()
		err = w.changer.resolveChanges(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, w.Release())
	}
	return w, nil
}

// edit runs one editing command under the lock, after it finished everything pending and logged
// hand edits.
func (s *Store) edit(ctx context.Context, command string, f func(*writer) error) error {
	w, err := s.begin(ctx, command, s.EditWait)
	if err != nil {
		return locked(err)
	}
	err = w.settler.Scan(ctx)
	if err == nil {
		err = w.Load(ctx)
	}
	if err == nil {
		err = w.finish(ctx)
	}
	if err == nil {
		err = f(w)
	}
	return errors.Join(err, w.End(ctx))
}

// finish writes everything that is pending to Markdown, in the order of the log. Consecutive
// entries for one file are written together. A record that cannot be finished stays pending, and
// the error says why.
func (w *writer) finish(ctx context.Context) error {
	if len(w.View.Pending) == 0 {
		return nil
	}
	if err := w.Folder.Prepare(); err != nil {
		return err
	}
	var errs []error
	var purges []journal.Record
	todo := slices.Clone(w.View.Pending)
	for len(todo) > 0 && ctx.Err() == nil {
		p := todo[0]
		if p.Op.Edits() {
			err := w.amender.change(ctx, p.Record)
			if err == nil && p.Op == journal.OpPurge {
				purges = append(purges, p.Record)
			}
			errs, todo = append(errs, err), todo[1:]
			continue
		}
		var batch []journal.Record
		batch, todo = nextBatch(todo)
		if err := w.appender.appendAll(ctx, p.File, batch); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", p.File, err))
		}
	}
	return errors.Join(append(errs, w.purger.scrub(ctx, purges), ctx.Err())...)
}

// nextBatch returns the entries for the file of the first one, up to the next edit.
func nextBatch(todo []view.Pending) (batch []journal.Record, rest []view.Pending) {
	for i, p := range todo {
		switch {
		case p.Op.Edits():
			return batch, append(rest, todo[i:]...)
		case p.File == todo[0].File:
			batch = append(batch, p.Record)
		default:
			rest = append(rest, p)
		}
	}
	return batch, rest
}

// finishTogether is finish for many entries at once when nothing else is pending. It syncs all
// files together at the end.
func (w *writer) finishTogether(ctx context.Context) error {
	sys, late := w.Sys, turn.NewLateSync(w.Sys)
	w.Sys, w.Late = late, late
	err := w.finish(ctx)
	w.Sys, w.Late = sys, nil
	safe, syncErr := late.Flush()
	if syncErr != nil {
		syncErr = fmt.Errorf("syncing memory: %w", syncErr)
	}
	if len(safe) > 0 {
		w.LogDone(ctx, safe)
	}
	return errors.Join(err, syncErr)
}
