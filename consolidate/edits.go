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
// that gain text, last those that go.
func (p *plan) edits() []memory.FileEdit {
	var list []memory.FileEdit
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
	}
	slices.SortStableFunc(list, func(a, b memory.FileEdit) int {
		return cmp.Or(first(gains(a), gains(b)), first(a.After != nil, b.After != nil), strings.Compare(a.File, b.File))
	})
	return list
}

func gains(e memory.FileEdit) bool { return len(e.After) > len(e.Before) }
