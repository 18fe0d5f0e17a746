package why

import (
	"bytes"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/settle"
	"agentflow/memory/markdown"
)

// whyMemory is the files of memory. Only files that are relevant for a question are
// parsed.
type whyMemory struct {
	texts    []whyText        // the newest first
	byCommit map[string][]int // the files with an entry that names a commit, by its full id
	byEntry  map[string][]int // the files with an entry, by its id
}

// whyText is one file.
type whyText struct {
	file, path string
	text       []byte
	blocks     []lookup.StoredBlock
	parsed     bool
}

// readMemory reads the files, and finds the comments of entries in them.
func (w *stored) readMemory() {
	m := &w.memory
	m.byCommit, m.byEntry = map[string][]int{}, map[string][]int{}
	files, err := memoryfiles.List(w.mem)
	w.degraded = app.AppendError(w.degraded, err)
	for _, path := range files {
		text, err := memoryfiles.Read(path)
		if err != nil {
			w.degraded = append(w.degraded, err.Error())
			continue
		}
		rel, _ := filepath.Rel(w.mem.Root, path)
		m.texts = append(m.texts, whyText{file: filepath.ToSlash(rel), path: path, text: text})
		m.look(len(m.texts)-1, text)
	}
}

// look notes which commits and entries the comments in a file name. A name is only
// a reason to parse the file.
func (m *whyMemory) look(file int, text []byte) {
	const begin, end = "<!-- agentflow ", "-->"
	note := func(to map[string][]int, id string) {
		if list := to[id]; len(list) == 0 || list[len(list)-1] != file {
			to[id] = append(list, file)
		}
	}
	for {
		at := bytes.Index(text, []byte(begin))
		if at < 0 {
			return
		}
		text = text[at+len(begin):]
		comment, _, _ := bytes.Cut(text, []byte(end))
		for word := range strings.FieldsSeq(string(comment)) {
			switch key, value, _ := strings.Cut(word, "="); key {
			case "id":
				note(m.byEntry, value)
			case "commits", "possible":
				for id := range strings.SplitSeq(value, ",") {
					note(m.byCommit, id)
				}
			}
		}
		text = text[len(comment):]
	}
}

// naming returns the files with an entry that names one of some commits.
func (m *whyMemory) naming(commits settle.IdSet) (files []int) {
	for id := range commits {
		files = append(files, m.byCommit[id]...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// with yields the files with a text that passes.
func (m *whyMemory) with(wanted func(text []byte) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range m.texts {
			if wanted(m.texts[i].text) && !yield(i) {
				return
			}
		}
	}
}

// parse reads the blocks of a file, once.
func (t *whyText) parse() []lookup.StoredBlock {
	if !t.parsed {
		t.parsed = true
		for _, b := range markdown.Parse(t.text).NewestFirst() {
			t.blocks = append(t.blocks, lookup.StoredBlock{Block: b, File: t.file, Path: t.path})
		}
	}
	return t.blocks
}

// blocksIn yields the blocks of files, and each entry once.
func (w *stored) blocksIn(files iter.Seq[int]) iter.Seq[lookup.StoredBlock] {
	return func(yield func(lookup.StoredBlock) bool) {
		seen := map[string]bool{}
		for i := range files {
			for _, b := range w.memory.texts[i].parse() {
				if b.Entry != nil {
					if seen[b.Entry.ID] {
						continue
					}
					seen[b.Entry.ID], w.entries[b.Entry.ID] = true, b
				}
				if !yield(b) {
					return
				}
			}
		}
	}
}

// entriesOf yields the entries in files.
func (w *stored) entriesOf(files iter.Seq[int]) iter.Seq[lookup.StoredBlock] {
	return func(yield func(lookup.StoredBlock) bool) {
		for b := range w.blocksIn(files) {
			if b.Entry != nil && b.Entry.ID != "" && !yield(b) {
				return
			}
		}
	}
}

// entriesIn yields the entries in files.
func (w *stored) entriesIn(files []int) iter.Seq[lookup.StoredBlock] {
	return w.entriesOf(slices.Values(files))
}

// entry returns the entry with an id; false if memory has none, or it was forgotten.
func (w *stored) entry(id string) (lookup.StoredBlock, bool) {
	if _, known := w.entries[id]; !known {
		for range w.entriesIn(w.memory.byEntry[id]) {
			continue // each is noted
		}
	}
	b, ok := w.entries[id]
	return b, ok
}
