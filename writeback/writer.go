package writeback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/writeback/internal/journal"
)

// writer is a turn with the parts that write in it. It brings the files up to date with the log.
type writer struct {
	*turn
	settler  settler
	appender appender
	amender  amender
	changer  changer
	purger   purger
}

// writer returns a writer that does not have the lock yet. It has options for itself, because
// finishTogether changes how this writer syncs.
func (s *Store) writer() *writer {
	o := *s.Place
	t := &turn{Place: &o, logs: logs{&o, s.logs.main, s.logs.fallback}, folder: Folder{&o}, archive: Archive{&o}, report: &Report{}}
	w := &writer{turn: t, settler: settler{t}, changer: changer{t}}
	w.appender = appender{t, w.settler}
	w.amender = amender{t, w.settler, w.appender}
	w.purger = purger{t, w.amender}
	return w
}

// begin takes the lock, waiting up to wait, and reads the part of the log after the position that
// was last seen.
func (s *Store) begin(ctx context.Context, command string, wait time.Duration) (*writer, error) {
	w := s.writer()
	if err := w.acquire(ctx, command, wait); err != nil {
		return nil, err
	}
	err := w.open(ctx)
	if err == nil && len(w.view.pending) > 0 {
		w.tidyUp()
		err = w.changer.resolveChanges(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, w.release())
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
	err = w.settler.scan(ctx)
	if err == nil {
		err = w.load(ctx)
	}
	if err == nil {
		err = w.finish(ctx)
	}
	if err == nil {
		err = f(w)
	}
	return errors.Join(err, w.end(ctx))
}

// finish writes everything that is pending to Markdown, in the order of the log. Consecutive
// entries for one file are written together. A record that cannot be finished stays pending, and
// the error says why.
func (w *writer) finish(ctx context.Context) error {
	if len(w.view.pending) == 0 {
		return nil
	}
	if err := w.folder.Prepare(); err != nil {
		return err
	}
	var errs []error
	var purges []journal.Record
	todo := slices.Clone(w.view.pending)
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
func nextBatch(todo []pending) (batch []journal.Record, rest []pending) {
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
	sys, late := w.sys, newLateSync(w.sys)
	w.sys, w.late = late, late
	err := w.finish(ctx)
	w.sys, w.late = sys, nil
	safe, syncErr := late.flush()
	if syncErr != nil {
		syncErr = fmt.Errorf("syncing memory: %w", syncErr)
	}
	if len(safe) > 0 {
		w.logDone(ctx, safe)
	}
	return errors.Join(err, syncErr)
}
