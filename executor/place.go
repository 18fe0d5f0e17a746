package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/uuid"
)

// ReadPlace reads where the run with this id worked: its work tree, and the
// folder that its agent was started in. It is ErrNoFolder when the run's
// folder is not there any more.
func ReadPlace(runsDir, id string) (workTree, dir string, err error) {
	j, err := journal{}, error(fs.ErrNotExist)
	if uuid.Validate(id) == nil {
		j, err = readJournal(filepath.Join(runsDir, id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoFolder
	}
	if err != nil {
		return "", "", fmt.Errorf("reading where run %s worked: %w", id, err)
	}
	return j.WorkTree, j.Dir, nil
}
