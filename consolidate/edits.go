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

// Shown is a plan's change as people want to read it: with the daily files
// folded before it, so that what was only moved to another file does not drown
// what changed. in is what the plan was made from.
func Shown(in Input, r Result) []memory.FileEdit {
	p := newPlan(in)
	p.fold()
	after := maps.Clone(in.Files)
	for _, e := range r.Edits {
		after[e.File] = e.After
	}
	names := map[string]bool{}
	for _, files := range []map[string][]byte{p.files, after} {
		for name := range files {
			names[name] = true
		}
	}
	var list []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before, now := p.files[name], after[name]; !bytes.Equal(before, now) {
			list = append(list, memory.FileEdit{File: name, Before: before, After: now})
		}
	}
	return list
}
