package view

import (
	"agentflow/writeback/internal/journal"
	"maps"
	"slices"
)

// Checkpoint returns the view as the bytes of a checkpoint.
func (v *View) Checkpoint(pos journal.Position) []byte {
	w := journal.NewWriter(pos)
	for name, content := range v.Files.All() {
		w.File(name, content)
	}
	v.writtenRecords(w)
	for _, hash := range slices.Sorted(maps.Keys(v.Tombs)) {
		w.Add(journal.Record{Op: journal.OpTomb, Hash: hash})
	}
	for _, id := range slices.Sorted(maps.Keys(v.Lost)) {
		l := v.Lost[id]
		w.Add(journal.Record{Op: journal.OpLost, ID: id, File: l.File, Title: l.Title, Forgot: l.Forgotten, By: l.By, Text: l.Text})
	}
	recent(w, journal.OpEntry, v.recentAppends())
	recent(w, journal.OpForget, v.removedAt)
	for _, p := range v.Pending {
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
		if newest-when[id] < int64(StaleSave) {
			w.Add(journal.Record{Op: journal.OpDone, Of: of, ID: id, Stamp: when[id]})
		}
	}
}
