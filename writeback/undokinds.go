package writeback

import (
	"agentflow/memory"
	"errors"
	"strings"
)

// UndoPlan describes the effect of taking a change back.
type UndoPlan struct {
	Made
	Edits   []memory.FileEdit // none: nothing of the change is left
	Returns []Ref             // entries and facts that come back, with the file they will be in
	Leaves  []Ref             // those that are removed, with the file they are in
	Changes []Ref             // those that stay and read as before the change
	LeftOut []Ref             // those that would come back, but were forgotten or removed since
	Stays   []Ref             // facts that the change added, and that a command pinned or edited since
	source  string
	forget  []string
	back    []string
	lift    []string
}

// OverlapError reports that files were edited in the places that a change is to be taken back from.
type OverlapError struct {
	Files []string
	Later []Made // later changes of these files that can be taken back
}

// Error names the files.
func (e *OverlapError) Error() string {
	return "edited since where it changed them: " + strings.Join(e.Files, ", ")
}

// ErrUndone is matched when a change was taken back already.
var ErrUndone = errors.New("it was taken back already")
