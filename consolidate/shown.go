package consolidate

import (
	"bytes"
	"maps"
	"slices"

	"agentflow/memory"
)

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
