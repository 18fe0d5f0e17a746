package undo

import (
	"agentflow/memory"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/items"
	"errors"
	"strings"
)

// Plan describes the effect of taking a change back.
type Plan struct {
	archive.Made
	Edits   []memory.FileEdit // none: nothing of the change is left
	Returns []items.Ref       // entries and facts that come back, with the file they will be in
	Leaves  []items.Ref       // those that are removed, with the file they are in
	Changes []items.Ref       // those that stay and read as before the change
	LeftOut []items.Ref       // those that would come back, but were forgotten or removed since
	Stays   []items.Ref       // facts that the change added, and that a command pinned or edited since
	Source  string
	Forget  []string
	Back    []string
	Lift    []string
}

// OverlapError reports that files were edited in the places that a change is to be taken back from.
type OverlapError struct {
	Files []string
	Later []archive.Made // later changes of these files that can be taken back
}

// Error names the files.
func (e *OverlapError) Error() string {
	return "edited since where it changed them: " + strings.Join(e.Files, ", ")
}

// ErrUndone reports that a change was taken back already.
var ErrUndone = errors.New("it was taken back already")
