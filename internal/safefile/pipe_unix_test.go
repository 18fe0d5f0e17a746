//go:build unix

package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAPipeIsRefused would not end otherwise: opening a pipe without a writer
// blocks for ever.
func TestAPipeIsRefused(t *testing.T) {
	root, _ := layout(t)
	pipe := filepath.Join(root, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	must(t, os.Symlink("pipe", filepath.Join(root, "link")))
	for _, path := range []string{pipe, filepath.Join(root, "link")} {
		for _, links := range []Links{NoLink, AnyLink, Within(root)} {
			if _, err := Open(path, links); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s with %+v: %v", path, links, err)
			}
		}
	}
}
