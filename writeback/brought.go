package writeback

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"time"

	"agentflow/memory"
)

// ErrBrought means that a file came with the repository, and nobody accepted
// it.
var ErrBrought = errors.New("it came with the repository")

// list stats every Markdown file of the memory folder that is ours, by name
// relative to it. A folder that leads elsewhere is not looked into.
func (s *Store) list() (map[string]fs.FileInfo, error) {
	if err := s.inside(s.Memory); err != nil && !absent(err) {
		return nil, fmt.Errorf("listing memory: %w", err)
	}
	files, err := list(s.Memory)
	maps.DeleteFunc(files, func(name string, _ fs.FileInfo) bool { return s.Brought(name) })
	return files, err
}

// seenOf are the files that were seen, but for those that a repository brings
// now.
func (s *Store) seenOf(known *seen) int {
	n := 0
	for name := range known.files {
		if !s.Brought(name) {
			n++
		}
	}
	return n
}

// dayFile is the file that an entry of a time is written to: the day's, or
// another of that day where the repository brought that.
func (s *Store) dayFile(t time.Time) string {
	name := memory.DayFile(t)
	for n := 2; s.Brought(name) && n < 100; n++ {
		name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(memory.DayFile(t), ".md"), n)
	}
	return name
}
