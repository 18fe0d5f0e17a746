package writeback

import (
	"slices"

	"agentflow/memory"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

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
	fact, ok := items.FactOfNote(r)
	if !ok {
		return
	}
	err := w.Archive.WriteKept(archive.Kept{
		Made:   Made{ID: r.ID, Command: archive.RememberCommand, Title: archive.RememberTitle(fact.ID), At: w.Now(), Files: []string{r.File}},
		Source: r.ID, Edits: []memory.FileEdit{{File: r.File, Before: before, After: after}},
	})
	if err != nil {
		w.Degrade("what was remembered cannot be taken back later with 'memory undo': " + err.Error())
	}
}
