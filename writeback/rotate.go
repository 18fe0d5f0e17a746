package writeback

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/journal"
)

// rotateAt is the least size at which the log is folded into a checkpoint, in bytes. The log may
// grow to a quarter of the checkpoint if that is more, so that writing checkpoints costs a bounded
// share of all writing.
const rotateAt = 1 << 20

func (t *turn) rotateIfLong(ctx context.Context) error {
	limit, old := t.rotateAt, false
	if info, err := os.Stat(t.logs.main.Checkpoint()); err == nil {
		limit = max(limit, info.Size()/4)
		old = info.Size() > t.rotateAt && !t.logs.main.InParts() // an older program wrote it, and each edit reads all of it
	}
	if info, err := os.Stat(t.logs.main.Path()); err != nil || info.Size() < limit && !old || t.logs.fallbackLogged() {
		return nil
	}
	if err := t.rotate(ctx, func(*view) {}); err != nil {
		t.degrade("the log of memory could not be shortened: " + err.Error())
	}
	return nil
}

// rotate writes a checkpoint of the whole state, after edit changed it, and starts a new log. The
// checkpoint records how much of the old log it covers. A crash between the two steps therefore
// counts no record twice, and loses none that others append.
func (t *turn) rotate(ctx context.Context, edit func(*view)) error {
	err := t.logs.main.Locked(ctx, func() error {
		// From here on, no other process can append.
		data, err := safefile.Read(t.logs.main.Path(), safefile.NoLink, journal.MaxSize)
		if err != nil {
			return err
		}
		v := newView()
		pos, err := v.replayLog(t.logs.main, data)
		if err != nil {
			return err
		}
		edit(v)
		text := v.checkpoint(pos)
		if v.files.failed != nil {
			return v.files.failed
		}
		if err := atomicfile.WriteTo(t.sys, t.logs.main.Checkpoint(), text, 0o600); err != nil {
			return err
		}
		waiting := make([]journal.Record, len(v.pending))
		for i, p := range v.pending {
			waiting[i] = p.Record
		}
		pos, err = t.logs.main.Rotate(waiting)
		if err != nil {
			return err
		}
		now := newView() // its files are read from the new checkpoint
		if data, err = safefile.Read(t.logs.main.Path(), safefile.NoLink, journal.MaxSize); err == nil {
			pos, err = now.replayLog(t.logs.main, data)
		}
		if err != nil {
			return err
		}
		t.full, t.dirty = true, true
		t.adopt(now, pos)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rotating the log: %w", err)
	}
	return nil
}

// checkpoint returns the view as the bytes of a checkpoint.
func (v *view) checkpoint(pos journal.Position) []byte {
	w := journal.NewWriter(pos)
	for name, content := range v.files.all() {
		w.File(name, content)
	}
	v.writtenRecords(w)
	for _, hash := range slices.Sorted(maps.Keys(v.tombs)) {
		w.Add(journal.Record{Op: journal.OpTomb, Hash: hash})
	}
	for _, id := range slices.Sorted(maps.Keys(v.lost)) {
		l := v.lost[id]
		w.Add(journal.Record{Op: journal.OpLost, ID: id, File: l.File, Title: l.Title, Forgot: l.forgotten, By: l.by, Text: l.text})
	}
	recent(w, journal.OpEntry, v.recentAppends())
	recent(w, journal.OpForget, v.removedAt)
	for _, p := range v.pending {
		w.Add(p.Record)
	}
	return w.Bytes()
}

// recent adds the times at which the newest ids were appended or removed. An editor may still
// overwrite these with contents that it read earlier.
func recent(w *journal.Writer, of journal.Op, when map[string]int64) {
	newest := int64(0)
	for _, stamp := range when {
		newest = max(newest, stamp)
	}
	for _, id := range slices.Sorted(maps.Keys(when)) {
		if newest-when[id] < int64(staleSave) {
			w.Add(journal.Record{Op: journal.OpDone, Of: of, ID: id, Stamp: when[id]})
		}
	}
}

// takeFallback moves the records that were logged in Fallback while State could not be written. If
// State still cannot be written, they stay there, and are replayed into v all the same.
func (t *turn) takeFallback(ctx context.Context, v *view) error {
	data, err := t.logs.fallback.Read(ctx)
	if err != nil {
		return err
	}
	var records []journal.Record
	_, damage := journal.Each("log of the fallback", data, 0, func(r journal.Record, _ int64) {
		v.apply(r, 0)
		records = append(records, r)
	})
	v.damaged = append(v.damaged, damage...)
	if _, err := t.logs.main.Append(ctx, true, records...); err != nil {
		return nil
	}
	return t.logs.fallback.Locked(ctx, func() error {
		if now, err := safefile.Read(t.logs.fallback.Path(), safefile.NoLink, journal.MaxSize); err != nil || len(now) != len(data) {
			return err // another process appended in the meantime: next time
		}
		return t.sys.Remove(t.logs.fallback.Path())
	})
}
