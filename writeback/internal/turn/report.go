package turn

import (
	"agentflow/memory"
	"agentflow/writeback/internal/items"
)

// Report lists the findings and repairs of Recover.
type Report struct {
	Finished []items.Ref   // entries that were only in the log
	Restored []string      // files of a folder that had vanished, relative to that folder
	Vanished []items.Ref   // entries that disappeared from Markdown without forget
	Changes  []Interrupted // changes that an earlier command began and could not finish
	Degraded []string      // failures that lost nothing, one per line

	Repeated map[string]Standing // maps the id of a note that was not written to the fact that says the same already
}

// Interrupted is a change that an earlier command began and could not finish.
type Interrupted struct {
	Title  string // title of the Change
	Made   bool   // true: all of it is made now; false: none of it
	Edited string // the file that was edited by hand, so that the change was taken back, or that cannot be written
}

// String describes the outcome in one line.
func (i Interrupted) String() string {
	if i.Made {
		return "completed a change of memory that was interrupted (" + i.Title + ")"
	}
	return "took back a change of memory that was interrupted (" + i.Title + "), as " + i.Edited + " was edited meanwhile"
}

// Standing is a fact with its place in the memory files.
type Standing struct {
	memory.Fact
	File               string // relative to the memory folder
	StartLine, EndLine int
}
