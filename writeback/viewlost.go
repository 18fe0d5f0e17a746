package writeback

import (
	"agentflow/memory/markdown"
	"bytes"
	"maps"
)

// lost is an entry or fact that Markdown no longer holds.
type lost struct {
	Ref
	text      []byte
	forgotten bool   // by forget; false: it vanished
	by        string // id of the change that forgot it; after an undo of an undo, the change that was first undone
}

// standsIn reports whether content holds a lost entry or fact, by its id, or the whole text of a
// lost file.
func (l lost) standsIn(content []byte) bool {
	if isWholeFile(l.ID) {
		return bytes.Contains(content, bytes.TrimSpace(l.text))
	}
	return bytes.Contains(content, []byte(l.ID)) && holds(content, l.ID)
}

// elsewhere reports whether another file is known to hold the id. An entry that was moved is not
// lost.
func (v *view) elsewhere(name, id string) bool {
	return v.standsInAnother(name, lost{Ref: Ref{ID: id}})
}

func (v *view) standsInAnother(name string, l lost) bool {
	for other, content := range v.files.all() {
		if other != name && l.standsIn(content) {
			return true
		}
	}
	return false
}

// vanished returns the lost entries that were not forgotten, by file and id.
func (v *view) vanished() []Ref {
	var refs []Ref
	for _, l := range v.lost {
		if !l.forgotten && !v.tombs[tombstone(l.ID)] {
			refs = append(refs, l.Ref)
		}
	}
	sortRefs(refs)
	return refs
}

// noteRemoval records when a text with this id, and everything in it, was removed from its file. 0
// means that it was in no file by then.
func (v *view) noteRemoval(id string, text []byte, when int64) {
	for _, id := range append(markdown.Parse(text).IDs(), id) {
		v.removedAt[id] = max(v.removedAt[id], when)
	}
}

// forgetWhole removes a purged file from the replayed log.
func (v *view) forgetWhole(id string) {
	maps.DeleteFunc(v.lost, func(lost string, _ lost) bool { return ofWhole(lost, id) })
	delete(v.written, wholeName(id))
}
