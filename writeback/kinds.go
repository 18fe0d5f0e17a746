package writeback

import (
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/options"
	"agentflow/writeback/internal/turn"
	"agentflow/writeback/internal/undo"
	"agentflow/writeback/internal/view"
)

// The types that callers name are declared by the packages that they belong to.
type (
	// Options set where memory is and how long its writer waits.
	Options = options.Options
	// Ref names an entry or fact.
	Ref = items.Ref
	// Standing is a fact with its place in the memory files.
	Standing = turn.Standing
	// Report lists the findings and repairs of Recover.
	Report = turn.Report
	// Interrupted is a change that an earlier command began and could not finish.
	Interrupted = turn.Interrupted
	// Author is an agent that wrote a file below memory.NotesFolder.
	Author = view.Author
	// HandError names the line that a person wrote. It matches ErrByHand.
	HandError = view.HandError
	// Made is a change that Undo can take back.
	Made = archive.Made
	// UndoPlan describes the effect of taking a change back.
	UndoPlan = undo.Plan
	// OverlapError reports that files were edited in the places that a change is to be taken back from.
	OverlapError = undo.OverlapError
)

// MaxTaken limits the bytes of a memory file that the log copies.
const MaxTaken = options.MaxTaken

var (
	// ErrNotFound is matched when no entry or fact has the id.
	ErrNotFound = items.ErrNotFound
	// ErrLink is matched when a change would write where there is a link, or something else that is
	// not a memory file.
	ErrLink = folder.ErrLink
	// ErrByHand is matched when a change by an agent would remove a line that a person wrote.
	ErrByHand = view.ErrByHand
	// ErrUndone is matched when a change was taken back already.
	ErrUndone = undo.ErrUndone
)
