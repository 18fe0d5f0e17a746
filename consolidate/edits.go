package consolidate

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
)

// edits are the files that differ from those that were given: first those
// that gain an id, last those that only lose.
func (p *plan) edits() []memory.FileEdit {
	var list []memory.FileEdit
	gains := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		before, was := p.Input.Files[name]
		after := p.files[name]
		if !was {
			before = nil
		}
		if bytes.Equal(before, after) && was == (after != nil) {
			continue
		}
		list = append(list, memory.FileEdit{File: name, Before: before, After: after})
		gains[name] = gained(before, after)
	}
	slices.SortStableFunc(list, func(a, b memory.FileEdit) int {
		return cmp.Or(first(gains[a.File], gains[b.File]), first(a.After != nil, b.After != nil), strings.Compare(a.File, b.File))
	})
	return list
}

// gained says whether a file holds an id that it did not hold before.
func gained(before, after []byte) bool {
	held := map[string]bool{}
	for _, id := range memory.Parse(before).IDs() {
		held[id] = true
	}
	return slices.ContainsFunc(memory.Parse(after).IDs(), func(id string) bool { return !held[id] })
}
