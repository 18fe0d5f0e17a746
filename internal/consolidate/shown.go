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
	folded, months := newFolder(in.Files), map[string]bool{}
	for name := range r.revised {
		months[monthOf(name)] = true
	}
	folded.fold(in.FoldAfter, in.Now, months)
	after := maps.Clone(in.Files)
	for _, e := range r.Edits {
		after[e.File] = e.After
	}
	all := maps.Clone(folded.files)
	maps.Copy(all, after)
	var list []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before, now := folded.files[name], after[name]; months[monthOf(name)] && !bytes.Equal(before, now) {
			list = append(list, memory.FileEdit{File: name, Before: before, After: now})
		}
	}
	return list
}
