package writeback

import (
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"bytes"
	"slices"
)

func factOfNote(r journal.Record) (memory.Fact, bool) {
	if r.Op != journal.OpEntry || !bytes.Contains(r.Text, []byte("kind="+string(memory.KindNote))) && !markdown.IsNote(r.Text) {
		return memory.Fact{}, false
	}
	entries := markdown.Parse(r.Text).Entries()
	if len(entries) != 1 || entries[0].Kind != memory.KindNote || len(entries[0].Facts) != 1 {
		return memory.Fact{}, false
	}
	return entries[0].Facts[0], true
}

// withAppended returns a file with a record appended.
func withAppended(file []byte, r journal.Record) []byte {
	return slices.Concat(file, []byte(separator(file, r.File, r.Text)), r.Text)
}

// withNote returns a file with a note after the existing ones.
func withNote(file []byte, r journal.Record) []byte {
	text, _ := markdown.AddNote(file, r.Text)
	return text
}
