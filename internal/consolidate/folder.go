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

// folder holds the files of memory, as the plan has changed them.
type folder struct {
	files     map[string][]byte             // nil: the file was removed
	docs      map[string]*markdown.Document // see doc
	parsed    int                           // size of their texts, in bytes
	scanned   map[string]*scanned           // of the current files
	untouched map[string]bool               // files that are not changed
	revised   map[string]bool               // files that rules changed
}

func newFolder(files map[string][]byte) *folder {
	d := &folder{files: map[string][]byte{}, docs: map[string]*markdown.Document{}, scanned: map[string]*scanned{}, untouched: map[string]bool{}, revised: map[string]bool{}}
	maps.Copy(d.files, files)
	return d
}

// put replaces the text of a file; nil removes the file.
func (d *folder) put(name string, text []byte) {
	d.files[name] = text
	delete(d.docs, name)
	delete(d.scanned, name)
}

// take replaces the files whose texts differ. It reports whether any did.
func (d *folder) take(after map[string][]byte) (changed bool) {
	for name, text := range after {
		if old, ok := d.files[name]; ok && bytes.Equal(old, text) {
			continue
		}
		d.put(name, text)
		d.revised[name], changed = true, true
	}
	return changed
}

// names returns the files that hold facts, in order. Files below notes/ belong to agents and
// are never included.
func (d *folder) names() []string {
	var list []string
	for name, text := range d.files {
		if text != nil && name != memory.FeedbackFile && !memory.InNotes(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// scans yields the files that hold facts, in order. It parses unknown ones on all processors.
// The caller changes nothing until it ends.
func (d *folder) scans(progress func(done, total int)) iter.Seq2[string, *scanned] {
	return func(yield func(string, *scanned) bool) {
		names := d.names()
		i := 0
		for s := range parallel.Map(names, func(name string) *scanned {
			if known := d.scanned[name]; known != nil {
				return known
			}
			return scan(markdown.Parse(d.files[name]))
		}) {
			if !yield(names[i], s) {
				return
			}
			if i++; progress != nil {
				progress(i, len(names))
			}
		}
	}
}

// docBytes limits the text of the documents that are kept, in bytes.
const docBytes = 4 << 20

// doc returns a parsed file, from the last ones or by parsing it again.
func (d *folder) doc(name string) *markdown.Document {
	doc, ok := d.docs[name]
	if !ok {
		if d.parsed += len(d.files[name]); d.parsed > docBytes {
			clear(d.docs)
			d.parsed = len(d.files[name])
		}
		doc = markdown.Parse(d.files[name])
		d.docs[name] = doc
	}
	return doc
}

// edits returns the changes to the given files: first the files that gain text, last those that
// are removed.
func (d *folder) edits(given map[string][]byte) []memory.FileEdit {
	var list []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		before, was := given[name]
		if after := d.files[name]; !bytes.Equal(before, after) || was != (after != nil) {
			list = append(list, memory.FileEdit{File: name, Before: before, After: after})
		}
	}
	slices.SortStableFunc(list, func(a, b memory.FileEdit) int {
		return cmp.Or(first(gains(a), gains(b)), first(a.After != nil, b.After != nil), strings.Compare(a.File, b.File))
	})
	return list
}

func gains(e memory.FileEdit) bool { return len(e.After) > len(e.Before) }
