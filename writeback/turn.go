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

// turn is one turn at writing: the lock, and the state of the log and the files that was read
// under it.
type turn struct {
	*Place
	logs     logs
	folder   Folder
	archive  Archive
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

// acquire takes the lock in State, or else in Fallback. If neither folder can hold a lock file, no
// process can write a log either, and Markdown is then appended to without a lock.
func (t *turn) acquire(ctx context.Context, command string, wait time.Duration) error {
	self := filelock.Self(command, t.Now())
	var held *filelock.HeldError
	for _, j := range []journal.Log{t.logs.main, t.logs.fallback} {
		if j.Dir == "" || j.Make() != nil {
			continue
		}
		lock, err := filelock.Acquire(ctx, filepath.Join(j.Dir, "lock"), self, wait)
		if err == nil {
			t.lock = lock
			return nil
		}
		if errors.As(err, &held) || ctx.Err() != nil {
			return err
		}
	}
	t.degrade("memory is written without a lock: neither " + t.State + " nor a fallback folder can be written")
	return nil
}

func (t *turn) release() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Release()
}

// open reads the log, or only its end if the seen file is good.
func (t *turn) open(ctx context.Context) error {
	t.seen = loadSeen(t.State)
	if t.seen == nil || t.logs.fallbackLogged() {
		return t.load(ctx)
	}
	v, pos, err := t.logs.unfinished(ctx, t.seen)
	if err != nil {
		return err
	}
	if v == nil {
		return t.load(ctx)
	}
	t.view, t.pos = v, pos
	t.degrade(t.view.damaged...)
	return nil
}

// load replays everything: checkpoint, log and the log of Fallback.
func (t *turn) load(ctx context.Context) error {
	if t.full {
		return nil
	}
	v := newView()
	pos, err := v.load(ctx, t.logs.main)
	if err != nil {
		return err
	}
	if t.logs.fallbackLogged() {
		if err := t.takeFallback(ctx, v); err != nil {
			return err
		}
		if pos, err = newView().load(ctx, t.logs.main); err != nil {
			return err
		}
	}
	if t.view == nil || len(t.view.damaged) == 0 {
		t.degrade(v.damaged...)
	}
	t.full = true
	t.adopt(v, pos)
	if t.seen == nil {
		t.seen = &seen{files: map[string]stamp{}}
		t.dirty = true
	}
	return nil
}

// adopt makes v the view and replays into it the records that this turn could not log, because no
// log holds them.
func (t *turn) adopt(v *view, pos journal.Position) {
	t.view, t.pos = v, pos
	for _, r := range t.loose {
		v.apply(r, pos.Offset)
	}
}

// applyLoose replays records that no log could take.
func (t *turn) applyLoose(records ...journal.Record) {
	t.loose = append(t.loose, records...)
	for _, r := range records {
		t.view.apply(r, t.pos.Offset)
	}
}

// log appends records to the log and replays them into the view.
func (t *turn) log(ctx context.Context, durable bool, records ...journal.Record) error {
	if err := t.view.files.failed; err != nil {
		return fmt.Errorf("reading what memory held: %w", err)
	}
	at, spare, err := t.logs.append(ctx, durable, records...)
	switch {
	case spare:
		t.degrade("the log is in " + t.Fallback + ": " + err.Error())
	case err != nil && !t.unlogged:
		return err
	case err != nil:
		t.applyLoose(records...)
		return nil
	}
	for _, r := range records {
		t.view.apply(r, at.From)
	}
	// Others may have appended in between. The log after pos is then read again.
	switch {
	case err != nil:
	case t.pos.Gen == "" && at.Gen != "":
		t.pos = journal.Position{Gen: at.Gen, Offset: at.To}
	case at.From == t.pos.Offset:
		t.pos.Offset = at.To
	}
	t.dirty = true
	return nil
}

func (t *turn) logDone(ctx context.Context, done []journal.Record) {
	if err := t.log(ctx, false, done...); err != nil {
		t.degrade("entries were written, but the log could not note it, so the next command checks them again: " + err.Error())
		t.applyLoose(done...)
	}
}

// end rotates the log if it is long, saves the seen file and releases the lock.
func (t *turn) end(ctx context.Context) error {
	err := t.rotateIfLong(ctx)
	if e := t.save(); e != nil {
		t.degrade("the list of memory files could not be saved, so the next command reads all of them: " + e.Error())
	}
	return errors.Join(err, t.release())
}

func (t *turn) save() error {
	t.seeFolder()
	if !t.dirty || len(t.loose) > 0 {
		return nil // the next writer must find again the differences that no log holds
	}
	t.seen.pos = t.pos
	for _, p := range t.view.pending {
		t.seen.pos.Offset = min(t.seen.pos.Offset, p.at)
	}
	t.seen.tombs = t.view.tombs
	if t.full {
		t.seen.gone = t.view.vanished()
	}
	if info, err := os.Stat(t.State); safefile.IsAbsent(err) || err == nil && !info.IsDir() {
		return nil // nothing was ever logged
	}
	return t.seen.save(t.sys, t.State)
}

func (t *turn) gone() []Ref {
	if t.full {
		return t.view.vanished()
	}
	return t.seen.gone
}

// degrade reports failures that lost nothing.
func (t *turn) degrade(lines ...string) {
	for _, line := range lines {
		if !slices.Contains(t.report.Degraded, line) {
			t.report.Degraded = append(t.report.Degraded, line)
		}
	}
}

// degradeRepairs reports the repairs of recovery as degradations, for callers that do not return
// the report.
func (t *turn) degradeRepairs() {
	if n := len(t.report.Restored); n > 0 {
		t.degrade(fmt.Sprintf("the memory folder had vanished; %d of its files are restored from the log", n))
	}
	for _, change := range t.report.Changes {
		t.degrade(change.String())
	}
}
