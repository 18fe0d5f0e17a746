package writeback

import (
	"context"
	"fmt"
	"os"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/journal"
)

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
