package gitwatch

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"agentflow/internal/repofile"

	"github.com/go-git/go-billy/v5"
)

// gitFiles is a git directory as go-git may see it.
//
// The lock files of a git that is at work are hidden: go-git takes every file
// below refs for a reference, and a lock is empty before it is written. No
// reference's own name may end so (git-check-ref-format(1)). What is no file
// is not opened, as go-git would wait for a named pipe for ever, nor is a
// reference that is far larger than any.
type gitFiles struct{ billy.Filesystem }

// maxRef bounds HEAD and the files below refs, in bytes.
const maxRef = 64 << 10

func (g gitFiles) ReadDir(path string) ([]fs.FileInfo, error) {
	files, err := g.Filesystem.ReadDir(path)
	return slices.DeleteFunc(files, func(f fs.FileInfo) bool { return strings.HasSuffix(f.Name(), ".lock") }), err
}

func (g gitFiles) Open(name string) (billy.File, error) {
	info, err := g.Filesystem.Stat(name)
	if err != nil {
		return nil, err
	}
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: %w", name, repofile.ErrNotRegular)
	case info.Size() > maxRef && (slashed == "HEAD" || strings.HasPrefix(slashed, "refs/")):
		return nil, fmt.Errorf("open %s: %w", name, repofile.ErrTooLarge)
	}
	return g.Filesystem.Open(name)
}
