package api

import "time"

// MemoryChange is a change of memory that can be taken back, or the undo of one.
type MemoryChange struct {
	ID      string    `json:"id"`      // its id
	Command string    `json:"command"` // remember, forget, memory edit, consolidate, import, join, memory_tool or memory undo
	Title   string    `json:"title"`   // what was changed, in a few words
	Time    time.Time `json:"time"`    // when it was made
	Files   []string  `json:"files"`   // those that it changed, relative to the memory folder; "global:" stands before those of your own memory
	Undoes  string    `json:"undoes"`  // the id of the change that this one took back; empty where it took none back
	Undone  bool      `json:"undone"`  // it was taken back
}

// MemoryUndo says what taking a change of memory back did, or would do.
type MemoryUndo struct {
	Change   MemoryChange `json:"change"`    // what is taken back
	Files    []string     `json:"files"`     // those that change by that
	Returns  []Entry      `json:"returns"`   // entries and facts that come back
	Leaves   []Entry      `json:"leaves"`    // entries and facts that go
	AsBefore []Entry      `json:"as_before"` // facts that stay, and say again what they said before the change
	LeftOut  []Entry      `json:"left_out"`  // entries and facts that do not come back, as they were forgotten or taken out since
	Stays    []Entry      `json:"stays"`     // facts that the change added and that stay, as a command pinned or edited them since
	DryRun   bool         `json:"dry_run"`   // nothing was changed
	Undo     string       `json:"undo"`      // the id with which this undo can be taken back; empty where it cannot, or nothing was changed
}
