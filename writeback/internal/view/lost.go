package view

import (
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"bytes"
	"maps"
)

// Lost is an entry or fact that Markdown no longer holds.
type Lost struct {
	items.Ref
	Text      []byte
	Forgotten bool   // by forget; false: it vanished
	By        string // id of the change that forgot it; after an undo of an undo, the change that was first undone
}

// StandsIn reports whether content holds a lost entry or fact, by its id, or the whole text of a
// lost file.
func (l Lost) StandsIn(content []byte) bool {
	if items.IsWhole(l.ID) {
		return bytes.Contains(content, bytes.TrimSpace(l.Text))
	}
	return bytes.Contains(content, []byte(l.ID)) && items.Holds(content, l.ID)
}

// Elsewhere reports whether another file is known to hold the id. An entry that was moved is not
// lost.
func (v *View) Elsewhere(name, id string) bool {
	return v.StandsInAnother(name, Lost{Ref: items.Ref{ID: id}})
}

// StandsInAnother reports whether a file other than name holds what was lost.
func (v *View) StandsInAnother(name string, l Lost) bool {
	for other, content := range v.Files.All() {
		if other != name && l.StandsIn(content) {
			return true
		}
	}
	return false
}

// Vanished returns the lost entries that were not forgotten, by file and id.
func (v *View) Vanished() []items.Ref {
	var refs []items.Ref
	for _, l := range v.Lost {
		if !l.Forgotten && !v.Tombs[items.Tombstone(l.ID)] {
			refs = append(refs, l.Ref)
		}
	}
	items.SortRefs(refs)
	return refs
}

// noteRemoval records when a text with this id, and everything in it, was removed from its file. 0
// means that it was in no file by then.
func (v *View) noteRemoval(id string, text []byte, when int64) {
	for _, id := range append(markdown.Parse(text).IDs(), id) {
		v.removedAt[id] = max(v.removedAt[id], when)
	}
}

// forgetWhole removes a purged file from the replayed log.
func (v *View) forgetWhole(id string) {
	maps.DeleteFunc(v.Lost, func(lost string, _ Lost) bool { return items.OfWhole(lost, id) })
	delete(v.Written, items.WholeName(id))
}
