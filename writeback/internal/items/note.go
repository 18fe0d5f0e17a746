package items

import (
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"bytes"
	"slices"
)

// FactOfNote returns the fact of a record that appends a note.
func FactOfNote(r journal.Record) (memory.Fact, bool) {
	if r.Op != journal.OpEntry || !bytes.Contains(r.Text, []byte("kind="+string(memory.KindNote))) && !markdown.IsNote(r.Text) {
		return memory.Fact{}, false
	}
	entries := markdown.Parse(r.Text).Entries()
	if len(entries) != 1 || entries[0].Kind != memory.KindNote || len(entries[0].Facts) != 1 {
		return memory.Fact{}, false
	}
	return entries[0].Facts[0], true
}

// WithAppended returns a file with a record appended.
func WithAppended(file []byte, r journal.Record) []byte {
	return slices.Concat(file, []byte(Separator(file, r.File, r.Text)), r.Text)
}

// WithNote returns a file with a note after the existing ones.
func WithNote(file []byte, r journal.Record) []byte {
	text, _ := markdown.AddNote(file, r.Text)
	return text
}
