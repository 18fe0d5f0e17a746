package gitwatch

import (
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// hiddenPaths are the names in a work tree that git does not look at, sorted:
// what it ignores, nested repositories and submodules. A folder, which stands
// for all below it, ends in '/'; the empty name stands for everything.
//
// A run that empties .gitignore, or removes the .git of a nested repository,
// makes files appear that were there before: they must not pass for new ones.
type hiddenPaths []git.Name

// maxHidden is how many names a snapshot keeps.
const maxHidden = 20_000

// hiddenOf sorts names. Where there are too many, their folders stand for the
// files, and at last the work tree for the folders.
func hiddenOf(names []string) hiddenPaths {
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
	out := make(hiddenPaths, len(names))
	for i, name := range names {
		out[i] = git.Name(name)
	}
	return out
}

// holds says whether a path that is not tracked may have stood there unseen.
func (h hiddenPaths) holds(path string) bool {
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

func (h hiddenPaths) has(name string) bool {
	_, found := slices.BinarySearch(h, git.Name(name))
	return found
}

// clockGrain is how far a file system's clock may be behind the system's: a
// tick of the kernel's timer.
const clockGrain = 20 * time.Millisecond

// unchangedSince says whether a file's contents, mode and name are older than a
// moment. Where there is no ctime nothing is known to be.
func (s fileStat) unchangedSince(moment int64) bool {
	changed := s.ctime.nanos()
	if s.ctime.nsec == 0 {
		changed += int64(granule) // the file system may keep no more than seconds
	}
	return s.ctime != stamp{} && changed < moment-int64(clockGrain)
}

// hide notes a name that git does not look at.
func (s *scan) hide(name string) {
	s.mu.Lock()
	s.hidden = append(s.hidden, name)
	s.mu.Unlock()
}
