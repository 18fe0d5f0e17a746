package writeback

import (
	"context"
	"errors"
	"fmt"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Recorded is what became of the entries given to RecordAll.
type Recorded struct {
	Written   int      // stand in Markdown
	Waiting   int      // are safe in the log; the next command finishes them
	Forgotten int      // were forgotten before, and are not written
	Removed   int      // were taken out by hand before, and are not written
	Degraded  []string // what did not work though nothing is lost, a line each
}

// RecordAll writes many entries, each exactly once into the daily file of its
// own date, with one sync of the log for all of them. An entry whose id
// stands in that file is left as it is; whoever calls looks for those that
// were moved to another. With an error nothing is lost that counts as Written
// or Waiting, also when ctx ended; a call with the same entries goes on where
// it stopped. It matches ErrLocked when somebody else kept the lock.
func (s *Store) RecordAll(ctx context.Context, entries []memory.Entry) (Recorded, error) {
	if len(entries) == 0 {
		return Recorded{}, nil
	}
	w, err := s.begin(ctx, s.Verb, s.LockWait)
	if err != nil {
		return Recorded{}, fmt.Errorf("writing %d entries: %w", len(entries), locked(err))
	}
	out, err := w.recordAll(ctx, entries)
	w.degradeRepairs()
	err = errors.Join(err, w.end(ctx))
	out.Degraded = w.report.Degraded
	if err != nil {
		err = fmt.Errorf("writing %d entries: %w", len(entries), err)
	}
	return out, err
}

func (w *writer) recordAll(ctx context.Context, entries []memory.Entry) (out Recorded, err error) {
	if err := errors.Join(w.meetFolder(ctx), w.finish(ctx)); err != nil {
		return out, err
	}
	removed := idsOf(w.gone())
	var records []record
	for _, e := range entries {
		switch {
		case w.view.tombs[tombstone(e.ID)]:
			out.Forgotten++
		case removed[e.ID]:
			out.Removed++
		default:
			records = append(records, record{Op: opEntry, ID: e.ID, File: w.dayFile(e.Time), Title: titleOf(e), Text: markdown.Format(e)})
		}
	}
	if len(records) == 0 {
		return out, nil
	}
	if err := w.log(ctx, true, records...); err != nil {
		return out, err
	}
	err = w.finishTogether(ctx)
	for _, r := range records {
		if w.view.find(opEntry, r.ID) >= 0 {
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

// Barred gives a function that says which entries RecordAll would not write:
// those that were forgotten or taken out by hand. It also knows what forgotten
// facts said, by memory.TextID. It takes no lock.
func (s *Store) Barred(ctx context.Context) (func(id string) bool, error) {
	v := newView()
	if _, err := s.main.load(ctx, v); err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	removed := idsOf(v.vanished())
	return func(id string) bool { return removed[id] || v.tombs[tombstone(id)] }, nil
}
