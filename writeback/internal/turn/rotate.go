package turn

import (
	"context"
	"fmt"
	"os"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/view"
)

func (t *Turn) rotateIfLong(ctx context.Context) error {
	limit, old := t.RotateAt, false
	if info, err := os.Stat(t.Logs.Main.Checkpoint()); err == nil {
		limit = max(limit, info.Size()/4)
		old = info.Size() > t.RotateAt && !t.Logs.Main.InParts() // an older program wrote it, and each edit reads all of it
	}
	if info, err := os.Stat(t.Logs.Main.Path()); err != nil || info.Size() < limit && !old || t.Logs.FallbackLogged() {
		return nil
	}
	if err := t.Rotate(ctx, func(*view.View) {}); err != nil {
		t.Degrade("the log of memory could not be shortened: " + err.Error())
	}
	return nil
}

// Rotate writes a checkpoint of the whole state, after edit changed it, and starts a new log. The
// checkpoint records how much of the old log it covers. A crash between the two steps therefore
// counts no record twice, and loses none that others append.
func (t *Turn) Rotate(ctx context.Context, edit func(*view.View)) error {
	err := t.Logs.Main.Locked(ctx, func() error {
		// From here on, no other process can append.
		data, err := safefile.Read(t.Logs.Main.Path(), safefile.NoLink, journal.MaxSize)
		if err != nil {
			return err
		}
		v := view.New()
		pos, err := v.ReplayLog(t.Logs.Main, data)
		if err != nil {
			return err
		}
		edit(v)
		text := v.Checkpoint(pos)
		if v.Files.Failed != nil {
			return v.Files.Failed
		}
		if err := atomicfile.WriteTo(t.Sys, t.Logs.Main.Checkpoint(), text, 0o600); err != nil {
			return err
		}
		waiting := make([]journal.Record, len(v.Pending))
		for i, p := range v.Pending {
			waiting[i] = p.Record
		}
		pos, err = t.Logs.Main.Rotate(waiting)
		if err != nil {
			return err
		}
		now := view.New() // its files are read from the new checkpoint
		if data, err = safefile.Read(t.Logs.Main.Path(), safefile.NoLink, journal.MaxSize); err == nil {
			pos, err = now.ReplayLog(t.Logs.Main, data)
		}
		if err != nil {
			return err
		}
		t.Full, t.Dirty = true, true
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
func (t *Turn) takeFallback(ctx context.Context, v *view.View) error {
	data, err := t.Logs.Spare.Read(ctx)
	if err != nil {
		return err
	}
	var records []journal.Record
	_, damage := journal.Each("log of the fallback", data, 0, func(r journal.Record, _ int64) {
		v.Apply(r, 0)
		records = append(records, r)
	})
	v.Damaged = append(v.Damaged, damage...)
	if _, err := t.Logs.Main.Append(ctx, true, records...); err != nil {
		return nil
	}
	return t.Logs.Spare.Locked(ctx, func() error {
		if now, err := safefile.Read(t.Logs.Spare.Path(), safefile.NoLink, journal.MaxSize); err != nil || len(now) != len(data) {
			return err // another process appended in the meantime: next time
		}
		return t.Sys.Remove(t.Logs.Spare.Path())
	})
}
