package writeback

import (
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

const rememberCommand = "remember"

// rememberTitle names a remembered fact by its id, because its text in a title would outlive a
// purge.
func rememberTitle(id string) string { return "remembering of " + memory.ShortID(id) }

// keepNotes keeps for Undo those notes of a file that a person can take back. It runs before they
// are added, so that a note written by a process that is then killed is kept too.
func (w appender) keepNotes(before []byte, notes []journal.Record, add func(file []byte, note journal.Record) []byte) {
	if !slices.ContainsFunc(notes, func(r journal.Record) bool { return r.Undo }) {
		return
	}
	for _, r := range notes {
		after := add(before, r)
		if r.Undo {
			w.keepNote(r, before, after)
		}
		before = after
	}
}

func (w appender) keepNote(r journal.Record, before, after []byte) {
	fact, ok := factOfNote(r)
	if !ok {
		return
	}
	err := w.archive.writeKept(kept{
		Made:   Made{ID: r.ID, Command: rememberCommand, Title: rememberTitle(fact.ID), At: w.Now(), Files: []string{r.File}},
		source: r.ID, files: []memory.FileEdit{{File: r.File, Before: before, After: after}},
	})
	if err != nil {
		w.degrade("what was remembered cannot be taken back later with 'memory undo': " + err.Error())
	}
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
