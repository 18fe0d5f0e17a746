package writeback

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Record writes e exactly once, whatever was interrupted before: a second
// call with the same ID changes nothing. path is the Markdown file. A
// *PendingError says that the entry is safe in the log and the next command
// finishes it; after any other error it is nowhere. An entry that was
// forgotten is not written; degraded says so.
func (s *Store) Record(ctx context.Context, e memory.Entry) (path string, degraded []string, err error) {
	path, report, err := s.record(ctx, e)
	return path, report.Degraded, err
}

// record is Record with all that is to be told of it.
func (s *Store) record(ctx context.Context, e memory.Entry) (path string, report Report, err error) {
	r := record{Op: opEntry, ID: e.ID, File: s.dayFile(e.Time), Title: titleOf(e), Text: markdown.Format(e)}
	path = filepath.Join(s.Memory, r.File)
	_, spare, logErr := s.append(ctx, true, r)
	logged := logErr == nil || spare
	report, err = s.recordLogged(ctx, r, logged)
	if logErr != nil {
		report.Degraded = slices.Insert(report.Degraded, 0, "the log of memory cannot be written: "+logErr.Error())
	}
	if err != nil && logged {
		err = &PendingError{ID: e.ID, File: path, Err: err}
	} else if err != nil {
		err = fmt.Errorf("writing entry %s: %w", e.ID, errors.Join(err, logErr))
	}
	return path, report, err
}

// recordLogged brings Markdown up to the log, or to r alone when there is no
// log.
func (s *Store) recordLogged(ctx context.Context, r record, logged bool) (Report, error) {
	w, err := s.begin(ctx, s.Verb, s.LockWait)
	if err != nil {
		return Report{}, err
	}
	if w.unlogged = !logged; w.unlogged {
		w.applyLoose(r)
	}
	err = errors.Join(w.meetFolder(ctx), w.finish(ctx))
	switch {
	case w.settled(r, logged):
		err = nil // what is left belongs to others, who will be told
	case err == nil:
		err = errors.New("it was not written")
	}
	w.degradeRepairs()
	err = errors.Join(err, w.finishedByOthers(ctx, r), w.end(ctx))
	return *w.report, err
}

// settled says whether nothing is left to do of r: it stands in Markdown, as
// the log says or as this turn wrote or read it, memory says the same already,
// or it was forgotten.
func (w *writer) settled(r record, logged bool) bool {
	if w.view.find(r.Op, r.ID) >= 0 {
		return false
	}
	written := func(f Ref) bool { return f.ID == r.ID }
	_, said := w.report.said[r.ID]
	return logged || said || w.view.tombs[tombstone(r.ID)] || slices.ContainsFunc(w.report.Finished, written)
}

// meetFolder looks at all files when the memory folder is not the one that
// was last seen.
func (w *writer) meetFolder(ctx context.Context) error {
	if w.seen.dir == 0 || dirChanged(w.seen, w.Memory) {
		return w.scan(ctx)
	}
	return nil
}

// degradeRepairs says what recovery did on the way, where nobody gets the
// report.
func (w *writer) degradeRepairs() {
	if n := len(w.report.Restored); n > 0 {
		w.degrade(fmt.Sprintf("the memory folder had vanished; %d of its files are restored from the log", n))
	}
	for _, change := range w.report.Changes {
		w.degrade(change.String())
	}
}
