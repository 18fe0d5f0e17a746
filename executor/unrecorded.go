package executor

import (
	"path/filepath"

	"github.com/google/uuid"
)

// Unrecorded says whether a run was asked to leave no entry, as far as its
// folder in runsDir still tells.
func Unrecorded(runsDir, id string) bool {
	if uuid.Validate(id) != nil {
		return false
	}
	j, err := readJournal(filepath.Join(runsDir, id))
	return err == nil && j.NoRecord
}
