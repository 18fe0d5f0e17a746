package turn

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
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/options"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/view"
)

// Turn is one turn at writing: the lock, and the state of the log and the files that was read
// under it.
type Turn struct {
	*options.Place
	Logs     Logs
	Folder   folder.Folder
	Archive  archive.Archive
	lock     *filelock.Lock   // nil when no folder can hold one
	Seen     *seen.Seen       // to be saved at the end
	View     *view.View       // the state of the log; files only after Load
	Full     bool             // view holds checkpoint and log, not only the log's end
	pos      journal.Position // how far the log is in View
	Dirty    bool             // seen must be saved
	Unlogged bool             // no log can be written, but Markdown is written all the same
	loose    []journal.Record // records in View and in no log; a view that is read again takes them over
	Scanned  bool             // every file was settled
	Late     *LateSync        // not nil while many entries are written together: see finishTogether
	Report   *Report
}

// Acquire takes the lock in State, or else in Fallback. If neither folder can hold a lock file, no
// process can write a log either, and Markdown is then appended to without a lock.
func (t *Turn) Acquire(ctx context.Context, command string, wait time.Duration) error {
	self := filelock.Self(command, t.Now())
	var held *filelock.HeldError
	for _, j := range []journal.Log{t.Logs.Main, t.Logs.Spare} {
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
	t.Degrade("memory is written without a lock: neither " + t.State + " nor a fallback folder can be written")
	return nil
}

// Release releases the lock.
func (t *Turn) Release() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Release()
}

// Open reads the log, or only its end if the seen file is good.
func (t *Turn) Open(ctx context.Context) error {
	t.Seen = seen.Load(t.State)
	if t.Seen == nil || t.Logs.FallbackLogged() {
		return t.Load(ctx)
	}
	v, pos, err := t.Logs.unfinished(ctx, t.Seen)
	if err != nil {
		return err
	}
	if v == nil {
		return t.Load(ctx)
	}
	t.View, t.pos = v, pos
	t.Degrade(t.View.Damaged...)
	return nil
}

// Load replays everything: checkpoint, log and the log of Fallback.
func (t *Turn) Load(ctx context.Context) error {
	if t.Full {
		return nil
	}
	v := view.New()
	pos, err := v.Load(ctx, t.Logs.Main)
	if err != nil {
		return err
	}
	if t.Logs.FallbackLogged() {
		if err := t.takeFallback(ctx, v); err != nil {
			return err
		}
		if pos, err = view.New().Load(ctx, t.Logs.Main); err != nil {
			return err
		}
	}
	if t.View == nil || len(t.View.Damaged) == 0 {
		t.Degrade(v.Damaged...)
	}
	t.Full = true
	t.adopt(v, pos)
	if t.Seen == nil {
		t.Seen = &seen.Seen{Files: map[string]seen.Stamp{}}
		t.Dirty = true
	}
	return nil
}

// adopt makes v the view and replays into it the records that this turn could not log, because no
// log holds them.
func (t *Turn) adopt(v *view.View, pos journal.Position) {
	t.View, t.pos = v, pos
	for _, r := range t.loose {
		v.Apply(r, pos.Offset)
	}
}

// ApplyLoose replays records that no log could take.
func (t *Turn) ApplyLoose(records ...journal.Record) {
	t.loose = append(t.loose, records...)
	for _, r := range records {
		t.View.Apply(r, t.pos.Offset)
	}
}

// Log appends records to the log and replays them into the view.
func (t *Turn) Log(ctx context.Context, durable bool, records ...journal.Record) error {
	if err := t.View.Files.Failed; err != nil {
		return fmt.Errorf("reading what memory held: %w", err)
	}
	at, spare, err := t.Logs.Append(ctx, durable, records...)
	switch {
	case spare:
		t.Degrade("the log is in " + t.Fallback + ": " + err.Error())
	case err != nil && !t.Unlogged:
		return err
	case err != nil:
		t.ApplyLoose(records...)
		return nil
	}
	for _, r := range records {
		t.View.Apply(r, at.From)
	}
	// Others may have appended in between. The log after pos is then read again.
	switch {
	case err != nil:
	case t.pos.Gen == "" && at.Gen != "":
		t.pos = journal.Position{Gen: at.Gen, Offset: at.To}
	case at.From == t.pos.Offset:
		t.pos.Offset = at.To
	}
	t.Dirty = true
	return nil
}

// LogDone logs that records were done. If that fails, the next command checks them again.
func (t *Turn) LogDone(ctx context.Context, done []journal.Record) {
	if err := t.Log(ctx, false, done...); err != nil {
		t.Degrade("entries were written, but the log could not note it, so the next command checks them again: " + err.Error())
		t.ApplyLoose(done...)
	}
}

// End rotates the log if it is long, saves the seen file and releases the lock.
func (t *Turn) End(ctx context.Context) error {
	err := t.rotateIfLong(ctx)
	if e := t.Save(); e != nil {
		t.Degrade("the list of memory files could not be saved, so the next command reads all of them: " + e.Error())
	}
	return errors.Join(err, t.Release())
}

// Save saves the list of seen files, if it changed.
func (t *Turn) Save() error {
	t.seeFolder()
	if !t.Dirty || len(t.loose) > 0 {
		return nil // the next writer must find again the differences that no log holds
	}
	t.Seen.Pos = t.pos
	for _, p := range t.View.Pending {
		t.Seen.Pos.Offset = min(t.Seen.Pos.Offset, p.At)
	}
	t.Seen.Tombs = t.View.Tombs
	if t.Full {
		t.Seen.Gone = t.View.Vanished()
	}
	if info, err := os.Stat(t.State); safefile.IsAbsent(err) || err == nil && !info.IsDir() {
		return nil // nothing was ever logged
	}
	return t.Seen.Save(t.Sys, t.State)
}

// Gone returns the entries that vanished.
func (t *Turn) Gone() []items.Ref {
	if t.Full {
		return t.View.Vanished()
	}
	return t.Seen.Gone
}

// Degrade reports failures that lost nothing.
func (t *Turn) Degrade(lines ...string) {
	for _, line := range lines {
		if !slices.Contains(t.Report.Degraded, line) {
			t.Report.Degraded = append(t.Report.Degraded, line)
		}
	}
}

// DegradeRepairs reports the repairs of recovery as degradations, for callers that do not return
// the report.
func (t *Turn) DegradeRepairs() {
	if n := len(t.Report.Restored); n > 0 {
		t.Degrade(fmt.Sprintf("the memory folder had vanished; %d of its files are restored from the log", n))
	}
	for _, change := range t.Report.Changes {
		t.Degrade(change.String())
	}
}
