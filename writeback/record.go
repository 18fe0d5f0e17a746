package writeback

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// Record writes e exactly once, even if it is interrupted: a second call with the same ID changes
// nothing. path is the Markdown file. A *PendingError means that the entry is safe in the log and
// the next command finishes it. After any other error it is stored nowhere. An entry that was
// forgotten is not written, and degraded reports that.
func (s *Store) Record(ctx context.Context, e memory.Entry) (path string, degraded []string, err error) {
	path, report, err := s.record(ctx, e, false)
	return path, report.Degraded, err
}

// record is Record with a full report. undo makes it possible to take the entry back with Undo.
func (s *Store) record(ctx context.Context, e memory.Entry, undo bool) (path string, report Report, err error) {
	r := journal.Record{Op: journal.OpEntry, ID: e.ID, File: s.Folder.DayFile(e.Time), Title: items.TitleOf(e), Text: markdown.FormatV2(e), Undo: undo}
	path = filepath.Join(s.Memory, r.File)
	_, spare, logErr := s.logs.Append(ctx, true, r)
	logged := logErr == nil || spare
	report, err = s.recordLogged(ctx, r, logged)
	if logErr != nil {
		report.Degraded = slices.Insert(report.Degraded, 0, "the log of memory cannot be written: "+logErr.Error())
	}
	if err != nil && logged {
		err = &PendingError{ID: e.ID, File: path, Err: err}
	} else if err != nil {
		err = fmt.Errorf("writing entry %s: %w", memory.ShortID(e.ID), errors.Join(err, logErr))
	}
	return path, report, err
}

// recordLogged brings Markdown up to date with the log, or writes only r if there is no log.
func (s *Store) recordLogged(ctx context.Context, r journal.Record, logged bool) (Report, error) {
	w, err := s.begin(ctx, s.Command, s.LockWait)
	if err != nil {
		return Report{}, err
	}
	if w.Unlogged = !logged; w.Unlogged {
		w.ApplyLoose(r)
	}
	err = errors.Join(w.settler.MeetFolder(ctx), w.finish(ctx))
	switch {
	case w.settled(r, logged):
		err = nil // other records failed; their writers get that error
	case err == nil:
		err = errors.New("it was not written")
	}
	w.DegradeRepairs()
	err = errors.Join(err, w.finishedByOthers(ctx, r), w.End(ctx))
	return *w.Report, err
}

// settled reports whether nothing is left to do for r: it is in Markdown, according to the log or
// to this turn, memory already holds the same fact, or it was forgotten.
func (w *writer) settled(r journal.Record, logged bool) bool {
	if w.View.Find(r.Op, r.ID) >= 0 {
		return false
	}
	written := func(f Ref) bool { return f.ID == r.ID }
	_, repeated := w.Report.Repeated[r.ID]
	return logged || repeated || w.View.Tombs[items.Tombstone(r.ID)] || slices.ContainsFunc(w.Report.Finished, written)
}

// Recorded counts the outcomes of the entries given to RecordAll.
type Recorded struct {
	Written   int      // are in Markdown
	Waiting   int      // are safe in the log; the next command finishes them
	Forgotten int      // were forgotten earlier, and are not written
	Removed   int      // were removed by hand earlier, and are not written
	Degraded  []string // failures that lost nothing, one per line
}

// RecordAll writes many entries, each exactly once to the daily file of its date, with one sync of
// the log for all of them. It does not change an entry if its id is in that file already. The
// caller must look for entries that were moved to another file. After an error, including one
// because ctx ended, no entry is lost that counts as Written or Waiting, and a call with the same
// entries continues where it stopped. The error matches ErrLocked if another process kept the lock.
func (s *Store) RecordAll(ctx context.Context, entries []memory.Entry) (Recorded, error) {
	if len(entries) == 0 {
		return Recorded{}, nil
	}
	w, err := s.begin(ctx, s.Command, s.LockWait)
	if err != nil {
		return Recorded{}, fmt.Errorf("writing %d entries: %w", len(entries), locked(err))
	}
	out, err := w.recordAll(ctx, entries)
	w.DegradeRepairs()
	err = errors.Join(err, w.End(ctx))
	out.Degraded = w.Report.Degraded
	if err != nil {
		err = fmt.Errorf("writing %d entries: %w", len(entries), err)
	}
	return out, err
}

func (w *writer) recordAll(ctx context.Context, entries []memory.Entry) (out Recorded, err error) {
	if err := errors.Join(w.settler.MeetFolder(ctx), w.finish(ctx)); err != nil {
		return out, err
	}
	removed := idsOf(w.Gone())
	var records []journal.Record
	for _, e := range entries {
		switch {
		case w.View.Tombs[items.Tombstone(e.ID)]:
			out.Forgotten++
		case removed[e.ID]:
			out.Removed++
		default:
			records = append(records, journal.Record{Op: journal.OpEntry, ID: e.ID, File: w.Folder.DayFile(e.Time), Title: items.TitleOf(e), Text: markdown.FormatV2(e)})
		}
	}
	if len(records) == 0 {
		return out, nil
	}
	if err := w.Log(ctx, true, records...); err != nil {
		return out, err
	}
	err = w.finishTogether(ctx)
	for _, r := range records {
		if w.View.Find(journal.OpEntry, r.ID) >= 0 {
			out.Waiting++
		} else {
			out.Written++
		}
	}
	return out, err
}

func idsOf(refs []Ref) map[string]bool {
	ids := make(map[string]bool, len(refs))
	for _, r := range refs {
		ids[r.ID] = true
	}
	return ids
}

// Barred returns a function that reports which entries RecordAll would not write: those that were
// forgotten or removed by hand. It also recognises the commits that such entries name, by their
// ids as the entries have them, and the texts of forgotten facts, by memory.TextID. It takes no lock.
func (s *Store) Barred(ctx context.Context) (func(id string) bool, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	vanished := v.Vanished()
	removed := idsOf(vanished)
	for _, r := range vanished {
		for _, commit := range items.CommitsIn(v.Lost[r.ID].Text) {
			removed[commit] = true
		}
	}
	return func(id string) bool { return removed[id] || v.Tombs[items.Tombstone(id)] }, nil
}

// finishedByOthers finds the outcome of a note that another process took from the log while this
// one waited for the lock.
func (w *writer) finishedByOthers(ctx context.Context, r journal.Record) error {
	_, note := items.FactOfNote(r)
	ours := slices.ContainsFunc(w.Report.Finished, func(ref Ref) bool { return ref.ID == r.ID })
	if _, repeated := w.Report.Repeated[r.ID]; !note || repeated || ours || w.View.Find(r.Op, r.ID) >= 0 {
		return nil
	}
	if err := w.Load(ctx); err != nil || items.Holds(w.View.Files.Get(r.File), r.ID) {
		return err
	}
	_, err := w.appender.repeats(ctx, r, nil)
	return err
}
