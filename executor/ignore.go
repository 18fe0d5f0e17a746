package executor

import (
	"fmt"
	"slices"

	"agentflow/memory"
)

// withoutIgnored takes the paths that never enter memory out of what a run
// changed, and says how many those are.
func (set ChangeSet) withoutIgnored(ignore func(path string) bool) ChangeSet {
	if ignore == nil {
		return set
	}
	left := map[string]bool{}
	keep := func(l memory.ChangeList) memory.ChangeList {
		l.Items = slices.DeleteFunc(slices.Clone(l.Items), func(c memory.Change) bool {
			gone := ignore(c.Path) || c.OldPath != "" && ignore(c.OldPath)
			left[c.Path] = left[c.Path] || gone
			return gone
		})
		return l
	}
	set.Changes, set.Uncommitted, set.Meanwhile = keep(set.Changes), keep(set.Uncommitted), keep(set.Meanwhile)
	n := 0
	for _, gone := range left {
		if gone {
			n++
		}
	}
	switch {
	case n == 1:
		set.Remarks = append(slices.Clip(set.Remarks), "left out 1 path that [index] ignore names")
	case n > 1:
		set.Remarks = append(slices.Clip(set.Remarks), fmt.Sprintf("left out %d paths that [index] ignore names", n))
	}
	return set
}
