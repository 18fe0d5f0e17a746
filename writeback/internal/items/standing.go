package items

import (
	"maps"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Standing returns the entries and facts of files by their own ids. A note is represented by its
// facts.
func Standing(files map[string][]byte) map[string]Ref {
	refs := map[string]Ref{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, b := range markdown.Parse(files[name]).Blocks {
			if b.Entry != nil && (b.Entry.Kind != memory.KindNote || len(b.Facts) == 0) {
				refs[b.Entry.ID] = Ref{b.Entry.ID, TitleOf(*b.Entry), name}
			}
			for _, f := range b.Facts {
				refs[f.ID] = Ref{f.ID, FirstLine(f.Text), name}
			}
		}
	}
	delete(refs, "")
	return refs
}

// AllIDs returns the ids in files, including those of merged facts.
func AllIDs(files map[string][]byte) map[string]bool {
	ids := map[string]bool{}
	for _, content := range files {
		for _, id := range markdown.Parse(content).IDs() {
			ids[id] = true
		}
	}
	return ids
}

// Without returns content without the entries and facts whose id or TextID is in gone. If content
// is nil, because the file does not exist, it returns nil.
func Without(content []byte, gone map[string]bool) []byte {
	if len(content) == 0 || len(gone) == 0 {
		return content
	}
	d := markdown.Parse(content)
	named := map[string]bool{}
	for _, f := range d.Facts() {
		named[f.ID] = named[f.ID] || gone[memory.TextID(f.Text)]
	}
	rest, _ := d.RemoveAll(func(id string) bool { return gone[id] || named[id] })
	return append([]byte{}, rest...)
}
