package consolidate

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"agentflow/internal/parallel"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// put replaces the text of a file; nil removes the file.
func (p *plan) put(name string, text []byte) {
	p.files[name] = text
	delete(p.docs, name)
	delete(p.scanned, name)
}

// names returns the files that hold facts, in order. Files below notes/ belong to agents and
// are never included.
func (p *plan) names() []string {
	var list []string
	for name, text := range p.files {
		if text != nil && name != memory.FeedbackFile && !memory.InNotes(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// scans yields the files that hold facts, in order. It parses unknown ones on all processors.
// The caller changes nothing until it ends.
func (p *plan) scans() iter.Seq2[string, *scanned] {
	return func(yield func(string, *scanned) bool) {
		names := p.names()
		i := 0
		for s := range parallel.Map(names, func(name string) *scanned {
			if known := p.scanned[name]; known != nil {
				return known
			}
			return scan(markdown.Parse(p.files[name]))
		}) {
			if !yield(names[i], s) {
				return
			}
			if i++; p.Progress != nil {
				p.Progress(i, len(names))
			}
		}
	}
}

// docBytes limits the text of the documents that are kept, in bytes.
const docBytes = 4 << 20

// doc returns a parsed file, from the last ones or by parsing it again.
func (p *plan) doc(name string) *markdown.Document {
	d, ok := p.docs[name]
	if !ok {
		if p.parsed += len(p.files[name]); p.parsed > docBytes {
			clear(p.docs)
			p.parsed = len(p.files[name])
		}
		d = markdown.Parse(p.files[name])
		p.docs[name] = d
	}
	return d
}

// edits returns the changes to the given files: first the files that gain text, last those that
// are removed.
func (p *plan) edits() []memory.FileEdit {
	var list []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		before, was := p.Input.Files[name]
		if after := p.files[name]; !bytes.Equal(before, after) || was != (after != nil) {
			list = append(list, memory.FileEdit{File: name, Before: before, After: after})
		}
	}
	slices.SortStableFunc(list, func(a, b memory.FileEdit) int {
		return cmp.Or(first(gains(a), gains(b)), first(a.After != nil, b.After != nil), strings.Compare(a.File, b.File))
	})
	return list
}

func gains(e memory.FileEdit) bool { return len(e.After) > len(e.Before) }
