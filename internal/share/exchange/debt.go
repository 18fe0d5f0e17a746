package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
)

// PurgedName is the file in State that lists the commits that lead to text that this clone or
// another one purged. DropPurged removes it. It is written before the exchange takes effect.
const PurgedName = "share-purged"

// debt lists the commits that lead to purged text and whose objects were not removed here yet.
type debt struct{ state string }

func (c *Clone) debt() debt { return debt{c.State} }

func (d debt) purgedFile() string { return filepath.Join(d.state, PurgedName) }

// isOwed reports whether the list of purged commits exists.
func (d debt) isOwed() bool {
	_, err := os.Lstat(d.purgedFile())
	return err == nil
}

// leftFile lists commits of exchanges that were killed, failed or were dry runs. No ref leads
// to them any more, and a purge has to remove them too.
func (d debt) leftFile() string { return filepath.Join(d.state, "share-left") }

// maxLeft limits that list: git collects older commits.
const maxLeft = 1000

func (d debt) noteLeft(commits ...string) error {
	list, err := addLines(d.leftFile(), commits)
	if err == nil {
		err = writeLines(d.leftFile(), list[max(0, len(list)-maxLeft):])
	}
	return err
}

// owe notes that commits lead to text that was purged.
func (d debt) owe(commits ...string) error {
	left, err := addLines(d.leftFile(), nil)
	if err != nil {
		return err
	}
	list, err := addLines(d.purgedFile(), append(left, commits...))
	if err == nil {
		err = writeLines(d.purgedFile(), list)
	}
	if err != nil {
		return fmt.Errorf("noting what was purged: %w", err)
	}
	return nil
}

// addLines returns the commits of a list and more ones, without repetitions.
func addLines(path string, more []string) (list []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, id := range append(strings.Fields(string(data)), more...) {
		if id != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, nil
}

func writeLines(path string, list []string) error {
	return atomicfile.Write(path, []byte(strings.Join(list, "\n")), 0o600)
}

// cleanedMark follows the commits of purgedFile for which NoteCleaned was called.
const cleanedMark = "cleaned"

// commits returns the commits of purgedFile. cleaned says that none was added after
// NoteCleaned.
func (d debt) commits() (commits []string, cleaned bool, err error) {
	list, err := addLines(d.purgedFile(), nil)
	cleaned = len(list) > 0 && list[len(list)-1] == cleanedMark
	return slices.DeleteFunc(list, func(id string) bool { return id == cleanedMark }), cleaned, err
}

// noteCleaned notes that no copy of the text is left outside of git.
func (d debt) noteCleaned() error {
	commits, _, err := d.commits()
	if err == nil {
		err = writeLines(d.purgedFile(), append(commits, cleanedMark))
	}
	return err
}

// clear removes the lists.
func (d debt) clear() error {
	if err := os.Remove(d.leftFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Remove(d.purgedFile())
}
