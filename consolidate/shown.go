package consolidate

import (
	"bytes"
	"maps"
	"slices"

	"agentflow/memory"
)

// Shown is a plan's change as people want to read it: with the daily files
// folded before it, so that what was only moved to another file does not drown
// what changed. in is what the plan was made from, r what Plan returned. Where rules changed nothing of a
// month, its files are not looked at: they were folded at most.
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

// monthOf is the file that a daily file is folded into; any other file is its own.
func monthOf(name string) string {
	if day, ok := memory.DayOf(name); ok {
		return memory.MonthFile(day)
	}
	return name
}
