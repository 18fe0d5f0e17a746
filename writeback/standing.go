package writeback

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// elsewhere reports whether another file is known to hold the id. An entry that was moved is not
// lost.
func (v *view) elsewhere(name, id string) bool {
	return v.standsInAnother(name, lost{Ref: Ref{ID: id}})
}

func (v *view) standsInAnother(name string, l lost) bool {
	for other, content := range v.files.all() {
		if other != name && l.standsIn(content) {
			return true
		}
	}
	return false
}

// standsIn reports whether content holds a lost entry or fact, by its id, or the whole text of a
// lost file.
func (l lost) standsIn(content []byte) bool {
	if isWholeFile(l.ID) {
		return bytes.Contains(content, bytes.TrimSpace(l.text))
	}
	return bytes.Contains(content, []byte(l.ID)) && holds(content, l.ID)
}

func isWholeFile(id string) bool { return strings.HasPrefix(id, memory.WholeFile("")) }

// wholeRef names a whole file.
func wholeRef(name string) Ref {
	return Ref{ID: memory.WholeFile(name), Title: "the whole file " + name, File: name}
}

func (v *view) batchFor(name string) []journal.Record {
	var batch []journal.Record
	for _, p := range v.pending {
		if p.File == name && (p.Op == journal.OpEntry || p.Op == journal.OpRestore) {
			batch = append(batch, p.Record)
		}
	}
	return batch
}

// tornLeast is the least number of bytes at the end of a file that count as the remains of an
// interrupted append: the heading's date and time.
const tornLeast = len("## 2026-11-21 14:32")

// tornAt returns where a torn entry begins at the end of content, or the length of content. It
// serves files that were edited by hand after an append was interrupted, or by an editor that read
// half of one. missingTail serves all others.
func tornAt(content []byte, batch []journal.Record) int {
	for _, r := range batch {
		for n := min(len(r.Text)-1, len(content)); n >= tornLeast; n-- {
			at := len(content) - n
			if content[at] == r.Text[0] && (at == 0 || content[at-1] == '\n') && bytes.Equal(content[at:], r.Text[:n]) {
				return at
			}
		}
	}
	return len(content)
}

// standing returns the entries and facts of files by their own ids. A note is represented by its
// facts.
func standing(files map[string][]byte) map[string]Ref {
	refs := map[string]Ref{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, b := range markdown.Parse(files[name]).Blocks {
			if b.Entry != nil && (b.Entry.Kind != memory.KindNote || len(b.Facts) == 0) {
				refs[b.Entry.ID] = Ref{b.Entry.ID, titleOf(*b.Entry), name}
			}
			for _, f := range b.Facts {
				refs[f.ID] = Ref{f.ID, firstLine(f.Text), name}
			}
		}
	}
	delete(refs, "")
	return refs
}

// allIDs returns the ids in files, including those of merged facts.
func allIDs(files map[string][]byte) map[string]bool {
	ids := map[string]bool{}
	for _, content := range files {
		for _, id := range markdown.Parse(content).IDs() {
			ids[id] = true
		}
	}
	return ids
}
