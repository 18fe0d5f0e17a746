package links

import (
	"slices"
	"sort"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// idSet is a set of full ids, all of one width: most of them as the sorted
// lines of a file, which are searched as they stand.
type idSet struct {
	lines string
	added map[string]bool
}

func (s *idSet) has(id string) bool {
	if s.added[id] {
		return true
	}
	width := len(id) + 1
	n := len(s.lines) / width
	at := sort.Search(n, func(i int) bool { return s.lines[i*width:i*width+len(id)] >= id })
	return at < n && s.lines[at*width:at*width+len(id)] == id
}

func (s *idSet) add(ids ...string) {
	if s.added == nil {
		s.added = map[string]bool{}
	}
	for _, id := range ids {
		s.added[id] = true
	}
}

func (s *idSet) remove(ids []string) {
	if len(ids) == 0 {
		return
	}
	gone := setOf(ids)
	all := slices.DeleteFunc(s.all(), func(id string) bool { return gone[id] })
	*s = idSet{lines: git.Lines(all)}
}

// all lists the set, sorted.
func (s *idSet) all() []string {
	ids := strings.Fields(s.lines)
	for id := range s.added {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
