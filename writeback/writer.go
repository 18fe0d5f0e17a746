package writeback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/journal"
)

// writer is one turn at writing: the lock, and the state of the log and the files that was read
// under it.
type writer struct {
	*Store
	lock     *filelock.Lock   // nil when no folder can hold one
	seen     *seen            // to be saved at the end
	view     *view            // the state of the log; files only after full
	full     bool             // view holds checkpoint and log, not only the log's end
	pos      journal.Position // how far the log is in view
	dirty    bool             // seen must be saved
	unlogged bool             // no log can be written, but Markdown is written all the same
	loose    []journal.Record // records in view and in no log; a view that is read again takes them over
	scanned  bool             // every file was settled
	late     *lateSync        // not nil while many entries are written together: see finishTogether
	report   *Report
}

// begin takes the lock, waiting up to wait, and reads the part of the log after the position that
// was last seen.
func (s *Store) begin(ctx context.Context, command string, wait time.Duration) (*writer, error) {
	w := &writer{Store: s, report: &Report{}}
	if err := w.acquire(ctx, command, wait); err != nil {
		return nil, err
	}
	err := w.open(ctx)
	if err == nil && len(w.view.pending) > 0 {
		w.tidyUp()
		err = w.resolveChanges(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, w.release())
	}
	return w, nil
}

// acquire takes the lock in State, or else in Fallback. If neither folder can hold a lock file, no
// process can write a log either, and Markdown is then appended to without a lock.
func (w *writer) acquire(ctx context.Context, command string, wait time.Duration) error {
	self := filelock.Self(command, w.Now())
	var held *filelock.HeldError
	for _, j := range []journal.Log{w.main, w.fallback} {
		if j.Dir == "" || j.Make() != nil {
			continue
		}
		lock, err := filelock.Acquire(ctx, filepath.Join(j.Dir, "lock"), self, wait)
		if err == nil {
			w.lock = lock
			return nil
		}
		if errors.As(err, &held) || ctx.Err() != nil {
			return err
		}
	}
	w.degrade("memory is written without a lock: neither " + w.State + " nor a fallback folder can be written")
	return nil
}

func (w *writer) release() error {
	if w.lock == nil {
		return nil
	}
	return w.lock.Release()
}

// open reads the log, or only its end if the seen file is good.
func (w *writer) open(ctx context.Context) error {
	w.seen = loadSeen(w.State)
	if w.seen == nil || w.fallbackLogged() {
		return w.load(ctx)
	}
	v, pos, err := w.unfinished(ctx, w.seen)
	if err != nil {
		return err
	}
	if v == nil {
		return w.load(ctx)
	}
	w.view, w.pos = v, pos
	w.degrade(w.view.damaged...)
	return nil
}

// unfinished replays the part of the log after the position that was last seen, and returns the
// position it reached. It returns no view if the log is another one. The view does not know the
// files.
func (s *Store) unfinished(ctx context.Context, last *seen) (*view, journal.Position, error) {
	data, same, err := s.main.After(ctx, last.pos)
	if err != nil || !same {
		return nil, journal.Position{}, err
	}
	v, pos := newView(), last.pos
	for tomb := range last.tombs {
		v.tombs[tomb] = true
	}
	pos.Offset, v.damaged = journal.Each("log", data, pos.Offset, v.apply)
	return v, pos, nil
}

// load replays everything: checkpoint, log and the log of Fallback.
func (w *writer) load(ctx context.Context) error {
	if w.full {
		return nil
	}
	v := newView()
	pos, err := v.load(ctx, w.main)
	if err != nil {
		return err
	}
	if w.fallbackLogged() {
		if err := w.takeFallback(ctx, v); err != nil {
			return err
		}
		if pos, err = newView().load(ctx, w.main); err != nil {
			return err
		}
	}
	if w.view == nil || len(w.view.damaged) == 0 {
		w.degrade(v.damaged...)
	}
	w.full = true
	w.adopt(v, pos)
	if w.seen == nil {
		w.seen = &seen{files: map[string]stamp{}}
		w.dirty = true
	}
	return nil
}

// adopt makes v the view and replays into it the records that this turn could not log, because no
// log holds them.
func (w *writer) adopt(v *view, pos journal.Position) {
	w.view, w.pos = v, pos
	for _, r := range w.loose {
		v.apply(r, pos.Offset)
	}
}

// applyLoose replays records that no log could take.
func (w *writer) applyLoose(records ...journal.Record) {
	w.loose = append(w.loose, records...)
	for _, r := range records {
		w.view.apply(r, w.pos.Offset)
	}
}

// log appends records to the log and replays them into the view.
func (w *writer) log(ctx context.Context, durable bool, records ...journal.Record) error {
	if err := w.view.files.failed; err != nil {
		return fmt.Errorf("reading what memory held: %w", err)
	}
	at, spare, err := w.append(ctx, durable, records...)
	switch {
	case spare:
		w.degrade("the log is in " + w.Fallback + ": " + err.Error())
	case err != nil && !w.unlogged:
		return err
	case err != nil:
		w.applyLoose(records...)
		return nil
	}
	for _, r := range records {
		w.view.apply(r, at.From)
	}
	// Others may have appended in between. The log after pos is then read again.
	switch {
	case err != nil:
	case w.pos.Gen == "" && at.Gen != "":
		w.pos = journal.Position{Gen: at.Gen, Offset: at.To}
	case at.From == w.pos.Offset:
		w.pos.Offset = at.To
	}
	w.dirty = true
	return nil
}

// end rotates the log if it is long, saves the seen file and releases the lock.
func (w *writer) end(ctx context.Context) error {
	err := w.rotateIfLong(ctx)
	if e := w.save(); e != nil {
		w.degrade("the list of memory files could not be saved, so the next command reads all of them: " + e.Error())
	}
	return errors.Join(err, w.release())
}

func (w *writer) save() error {
	w.seeFolder()
	if !w.dirty || len(w.loose) > 0 {
		return nil // the next writer must find again the differences that no log holds
	}
	w.seen.pos = w.pos
	for _, p := range w.view.pending {
		w.seen.pos.Offset = min(w.seen.pos.Offset, p.at)
	}
	w.seen.tombs = w.view.tombs
	if w.full {
		w.seen.gone = w.view.vanished()
	}
	if info, err := os.Stat(w.State); safefile.IsAbsent(err) || err == nil && !info.IsDir() {
		return nil // nothing was ever logged
	}
	return w.seen.save(w.sys, w.State)
}

// degrade reports failures that lost nothing.
func (w *writer) degrade(lines ...string) {
	for _, line := range lines {
		if !slices.Contains(w.report.Degraded, line) {
			w.report.Degraded = append(w.report.Degraded, line)
		}
	}
}
