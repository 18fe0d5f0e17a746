package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"agentflow/internal/safefile"
)

// Linkless returns an error that matches ErrLink if the path to a memory file has a component that
// is not a folder, or if the file itself is not a regular file. Nothing behind a link is a memory
// file.
func (d Folder) Linkless(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := os.Lstat(d.Path(at))
		if err == nil && (at == name && !info.Mode().IsRegular() || at != name && !info.IsDir()) {
			return fmt.Errorf("%s: %w", at, ErrLink)
		}
	}
	return nil
}

// ErrLink reports that a change would write where there is a link, or something else that is not
// a memory file.
var ErrLink = errors.New("it is a link, or no file of memory")

// Readable returns an error if a file cannot be read, or is too large for the log to hold its
// contents. A change of such a file could be neither made nor taken back.
func (d Folder) Readable(name string) error {
	f, err := safefile.Open(d.Path(name), safefile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be changed: %w", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > d.MostTaken {
		return errors.Join(err, fmt.Errorf("%s cannot be changed: %w", name, safefile.ErrTooLarge))
	}
	return nil
}

// IsOther reports whether a file was not read because it is not a memory file, and so was not
// written by one of our commands.
func IsOther(err error) bool {
	return errors.Is(err, safefile.ErrTooLarge) || errors.Is(err, safefile.ErrNotRegular)
}
