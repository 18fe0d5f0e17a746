package writeback

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// rotateAt is how long the log may get before it is folded into a
// checkpoint, at least; it may be a quarter of the checkpoint, so that
// writing checkpoints costs a bounded share of all writing.
const rotateAt = 1 << 20

func (w *writer) rotateIfLong(ctx context.Context) error {
	limit := w.rotateAt
	if info, err := os.Stat(w.main.checkpoint()); err == nil {
		limit = max(limit, info.Size()/4)
	}
	if info, err := os.Stat(w.main.log()); err != nil || info.Size() < limit || w.spareLogged() {
		return nil
	}
	if err := w.rotate(ctx, func(*view) {}); err != nil {
		w.degrade("the log stays long: " + err.Error())
	}
	return nil
}

// rotate makes a checkpoint of all that is known, after edit, and starts the
// log anew. The checkpoint says up to where it holds the old log, so a crash
// between the two steps counts nothing twice and loses nothing that others
// append.
func (w *writer) rotate(ctx context.Context, edit func(*view)) error {
	err := w.main.guard(ctx, func() error {
		// From here on nobody appends.
		data, err := repofile.Read(w.main.log(), repofile.NoLink, maxLog)
		if err != nil {
			return err
		}
		v := newView()
		pos, err := w.main.replay(v, data)
		if err != nil {
			return err
		}
		edit(v)
		if err := atomicfile.WriteTo(w.sys, w.main.checkpoint(), v.checkpoint(pos), 0o600); err != nil {
			return err
		}
		pos, err = w.main.reset(v.pending)
		if err != nil {
			return err
		}
		for i := range v.pending {
			v.pending[i].at = pos.offset
		}
		w.full, w.dirty = true, true
		w.adopt(v, pos)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rotating the log: %w", err)
	}
	return nil
}

// checkpoint is the view as records.
func (v *view) checkpoint(pos position) []byte {
	data := record{Op: opStart, Gen: newGen(), Covers: pos.gen, Offset: pos.offset}.encode(nil)
	for _, name := range slices.Sorted(maps.Keys(v.files)) {
		data = record{Op: opFile, File: name, Text: v.files[name]}.encode(data)
	}
	for _, hash := range slices.Sorted(maps.Keys(v.tombs)) {
		data = record{Op: opTomb, Hash: hash}.encode(data)
	}
	for _, id := range slices.Sorted(maps.Keys(v.lost)) {
		l := v.lost[id]
		data = record{Op: opLost, ID: id, File: l.File, Title: l.Title, Forgot: l.forgot, Text: l.text}.encode(data)
	}
	data = recent(data, opEntry, v.landings())
	data = recent(data, opForget, v.left)
	for _, p := range v.pending {
		data = p.record.encode(data)
	}
	return data
}

// recent appends when the newest of something were done: what an editor may
// still overwrite with what it read before.
func recent(data []byte, of op, when map[string]int64) []byte {
	newest := int64(0)
	for _, stamp := range when {
		newest = max(newest, stamp)
	}
	for _, id := range slices.Sorted(maps.Keys(when)) {
		if newest-when[id] < int64(staleSave) {
			data = record{Op: opDone, Of: of, ID: id, Stamp: when[id]}.encode(data)
		}
	}
	return data
}

// takeSpare moves what was logged in Fallback while State could not be
// written. When State still cannot be written it stays, and counts all the
// same.
func (w *writer) takeSpare(ctx context.Context, v *view) error {
	data, err := w.spare.read(ctx)
	if err != nil {
		return err
	}
	v.replay("log of the fallback", data, 0)
	for i := range v.pending {
		v.pending[i].at = 0
	}
	records := decodeAll(data)
	if _, err := w.main.append(ctx, true, records...); err != nil {
		return nil
	}
	return w.spare.guard(ctx, func() error {
		if now, err := repofile.Read(w.spare.log(), repofile.NoLink, maxLog); err != nil || len(now) != len(data) {
			return err // somebody appended meanwhile: next time
		}
		return w.sys.Remove(w.spare.log())
	})
}
