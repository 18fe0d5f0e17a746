package writeback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"agentflow/internal/repofile"
)

// linkless is an error that matches ErrLink where something that is no folder
// stands on the way to a memory file, or something that is no file in its
// place: nothing that is behind a link is a file of memory.
func (s *Store) linkless(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := os.Lstat(s.path(at))
		if err == nil && (at == name && !info.Mode().IsRegular() || at != name && !info.IsDir()) {
			return fmt.Errorf("%s: %w", at, ErrLink)
		}
	}
	return nil
}

// ErrLink is matched when a link, or something else that is no memory file,
// stands where a change has to write.
var ErrLink = errors.New("it is a link, or no file of memory")

// readable is an error where a file cannot be read, or is too large for the log
// to know what it holds: a change of it could be neither made nor taken back.
func (s *Store) readable(name string) error {
	f, err := repofile.Open(s.path(name), repofile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be changed: %w", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > s.mostTaken {
		return errors.Join(err, fmt.Errorf("%s cannot be changed: %w", name, repofile.ErrTooLarge))
	}
	return nil
}

// isOther says whether a file was not read because something else than memory
// stands there, which no command of ours has put there.
func isOther(err error) bool {
	return errors.Is(err, repofile.ErrTooLarge) || errors.Is(err, repofile.ErrNotRegular)
}
