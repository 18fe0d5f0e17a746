package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"agentflow/writeback/internal/journal"
)

// Clean removes the lines from all files below a folder, except the files and folders that
// skip selects. It removes a whole file or folder if its name is an id of the quote, because
// it may hold the text in any form. cleaned lists the files that held a line.
func (q Quote) Clean(sys journal.System, dir string, skip func(path string) bool) (cleaned []string, err error) {
	err = q.walk(dir, skip, func(path string, whole bool) error {
		changed := whole
		if whole {
			err = sys.Remove(path)
		} else {
			changed, err = q.cleanFile(sys, path)
		}
		if changed && err == nil {
			cleaned = append(cleaned, path)
		}
		return err
	}, sys.Remove)
	return cleaned, err
}

// Find lists the files that Clean would change or remove.
func (q Quote) Find(dir string, skip func(path string) bool) (found []string, err error) {
	err = q.walk(dir, skip, func(path string, whole bool) error {
		quotes := whole
		if !whole {
			quotes, err = q.quotes(path)
		}
		if quotes {
			found = append(found, path)
		}
		return err
	}, func(string) error { return nil })
	return found, err
}

// walk calls file for each regular file below a folder; whole is true if the file is to be removed.
// It calls emptied for the folders to remove, each after those in it.
func (q Quote) walk(dir string, skip func(path string) bool, file func(path string, whole bool) error, emptied func(path string) error) error {
	var going []string
	top := "" // the topmost folder being removed
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		whole := path != dir && q.Has(d.Name()) || top != "" && isBelow(path, top)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case skip(path) && d.IsDir():
			return fs.SkipDir
		case skip(path):
			return nil
		case d.IsDir() && whole:
			if going = append(going, path); top == "" || !isBelow(path, top) {
				top = path
			}
			return nil
		case d.IsDir() || !whole && !d.Type().IsRegular():
			return nil
		}
		if err = file(path, whole); errors.Is(err, fs.ErrNotExist) { // its owner removed it
			return nil
		}
		return err
	})
	for _, folder := range slices.Backward(going) {
		err = errors.Join(err, emptied(folder))
	}
	if err != nil {
		return fmt.Errorf("looking through %s: %w", dir, err)
	}
	return nil
}

func isBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
