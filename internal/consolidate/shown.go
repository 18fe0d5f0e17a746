package consolidate

import (
	"bytes"
	"maps"
	"slices"

	"agentflow/memory"
)

// Shown returns a plan's change for display. It assumes that the daily files were folded
// before, so that moved text does not hide the changes. in is the plan's input, r the result of
// Plan. If rules changed no file of a month, the month is ignored: its files were only folded.
func Shown(in Input, r Result) []memory.FileEdit {
	p := newPlan(in)
	p.months = map[string]bool{}
	for name := range r.revised {
		p.months[monthOf(name)] = true
	}
	p.fold()
	after := maps.Clone(in.Files)
	for _, e := range r.Edits {
		after[e.File] = e.After
	}
	all := maps.Clone(p.files)
	maps.Copy(all, after)
	var list []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before, now := p.files[name], after[name]; p.months[monthOf(name)] && !bytes.Equal(before, now) {
			list = append(list, memory.FileEdit{File: name, Before: before, After: now})
		}
	}
	return list
}
