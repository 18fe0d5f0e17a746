// Package memoryfiles lists and reads the Markdown files of a memory, and takes their digests from the index.
package memoryfiles

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/internal/safefile"
)

// IsUntrusted reports whether a file of the memory folder came with the repository.
func IsUntrusted(s *app.Repo, path string) bool {
	rel, err := filepath.Rel(s.Root, path)
	return err == nil && s.Refuses != nil && s.Refuses(filepath.ToSlash(rel))
}

// MaxSize limits a file of memory that is read, in bytes.
const MaxSize = 64 << 20

// Read reads a file of memory. It follows no link, and refuses a file over MaxMemoryFile.
func Read(path string) ([]byte, error) {
	return safefile.Read(path, safefile.NoLink, MaxSize)
}

// List lists the user's own Markdown files of memory, newest day first and MEMORY.md last.
func List(s *app.Repo) ([]string, error) {
	names, err := Every(s)
	return slices.DeleteFunc(names, func(path string) bool { return IsUntrusted(s, path) }), err
}

// Every also lists the files that came with the repository. It lists nothing if the memory folder leads out of the
// repository.
func Every(s *app.Repo) ([]string, error) {
	if safefile.LeadsOutside(s.Memory(), filepath.Dir(s.Root)) {
		return nil, nil
	}
	var names []string
	err := filepath.WalkDir(s.Memory(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".md") {
			names = append(names, path)
		}
		return err
	})
	// A file may have tomorrow's date, because its writer was in another time zone.
	latest := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(DayOf(b, latest), DayOf(a, latest))
	})
	return names, err
}

// DayOf returns the sort key of a memory file. Daily files sort by date. A month's archive sorts below the days that
// are not in it yet. Other files, and those of a day after latest, sort before every date.
func DayOf(path, latest string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".md")
	if name != "" && name[0] >= '0' && name[0] <= '9' && name <= latest {
		return name
	}
	return ""
}
