package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
)

// HiddenPaths holds the names in a work tree that git does not look at, sorted: ignored ones,
// nested repositories and submodules. A folder, which includes everything below it, ends in '/'.
// The empty name includes everything.
//
// If a run empties .gitignore, or removes the .git of a nested repository, files appear that
// existed before. They must not count as new.
type HiddenPaths []git.Name

// maxHidden limits the names that a snapshot keeps.
const maxHidden = 20_000

// NewHidden sorts names. If there are too many, it replaces files by their folders, and finally
// everything by the whole work tree.
func NewHidden(names []string) HiddenPaths {
	if len(names) > maxHidden {
		for i, name := range names {
			names[i] = name[:strings.LastIndexByte(name, '/')+1]
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxHidden {
		names = []string{""}
	}
	out := make(HiddenPaths, len(names))
	for i, name := range names {
		out[i] = git.Name(name)
	}
	return out
}

// Holds reports whether an untracked path may have existed unseen.
func (h HiddenPaths) Holds(path string) bool {
	if len(h) == 0 {
		return false
	}
	for i := range len(path) {
		if path[i] == '/' && h.has(path[:i+1]) {
			return true
		}
	}
	return h.has(path) || h.has("")
}

func (h HiddenPaths) has(name string) bool {
	_, found := slices.BinarySearch(h, git.Name(name))
	return found
}

// clockGrain limits the lag of a file system's clock behind the system's: a tick of the kernel's
// timer.
const clockGrain = 20 * time.Millisecond

// UnchangedSince reports whether a file's contents, mode and name are known to be older than a
// moment. Without a ctime they are not.
func (s Stat) UnchangedSince(moment int64) bool {
	changed := s.ctime.Nanos()
	if s.ctime.Nsec == 0 {
		changed += int64(clockGranule) // the file system may keep no more than seconds
	}
	return s.ctime != gitindex.Stamp{} && changed < moment-int64(clockGrain)
}

func (s *scan) addHidden(name string) {
	s.locked(func() { s.hidden = append(s.hidden, name) })
}

// unreadPath is a path of the work tree that could not be read: a file, or a folder with everything
// below it, which ends in '/'. An empty path is the whole work tree.
type unreadPath struct {
	Path git.Name `json:"path"`
	Why  string   `json:"why"`
}

// UnreadPaths lists the paths that a comparison could not read, sorted by path.
type UnreadPaths []unreadPath

func (u UnreadPaths) Sort() {
	slices.SortFunc(u, func(a, b unreadPath) int {
		return cmp.Or(strings.Compare(string(a.Path), string(b.Path)), strings.Compare(a.Why, b.Why))
	})
}

// Holds reports whether a path could not be read.
func (u UnreadPaths) Holds(path string) bool {
	return slices.ContainsFunc(u, func(p unreadPath) bool {
		name := string(p.Path)
		return name == path || name == "" || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
	})
}

func (u UnreadPaths) String() string {
	const shown = 3
	var said []string
	for _, p := range u[:min(len(u), shown)] {
		said = append(said, git.OneLine(strings.TrimPrefix(string(p.Path)+": "+p.Why, ": ")))
	}
	if len(u) > shown {
		said = append(said, fmt.Sprintf("and %d more", len(u)-shown))
	}
	return strings.Join(said, "; ")
}
