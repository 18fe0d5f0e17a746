package gitwatch

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// withoutLocks hides the lock files of a git that is at work: go-git takes
// every file below refs for a reference, and a lock is empty before it is
// written. No reference's own name may end so (git-check-ref-format(1)).
type withoutLocks struct{ billy.Filesystem }

func (w withoutLocks) ReadDir(path string) ([]fs.FileInfo, error) {
	files, err := w.Filesystem.ReadDir(path)
	return slices.DeleteFunc(files, func(f fs.FileInfo) bool { return strings.HasSuffix(f.Name(), ".lock") }), err
}
