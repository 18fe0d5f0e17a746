package extract

import (
	"bytes"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Facts returns all facts in memory's files, in the order of the files' names. Judgements are
// not facts.
func Facts(files map[string][]byte) []memory.Fact {
	var list []memory.Fact
	for _, name := range sorted(files) {
		for _, b := range markdown.Parse(files[name]).Blocks {
			for _, f := range b.Facts {
				list = append(list, f.Fact)
			}
		}
	}
	return list
}

// Texts returns the texts of the facts and entries with these ids, one a line.
func Texts(files map[string][]byte, ids []string) string {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = id != ""
	}
	var b strings.Builder
	for _, name := range sorted(files) {
		for _, block := range markdown.Parse(files[name]).Blocks {
			if block.Entry != nil && wanted[block.Entry.ID] {
				b.Write(block.Raw)
				b.WriteByte('\n')
				continue
			}
			for _, f := range block.Facts {
				if slices.ContainsFunc(f.IDs(), func(id string) bool { return wanted[id] }) {
					b.WriteString(f.Whole() + "\n")
				}
			}
		}
	}
	return b.String()
}

func sorted(files map[string][]byte) []string {
	var names []string
	for name := range files {
		if name != memory.FeedbackFile {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// EntryOf returns the entry of a run, or nil if memory does not have it.
func EntryOf(files map[string][]byte, run string) *memory.Entry {
	for _, name := range sorted(files) {
		if !bytes.Contains(files[name], []byte(run)) {
			continue
		}
		for _, e := range markdown.Parse(files[name]).Entries() {
			if e.ID == run {
				return e
			}
		}
	}
	return nil
}

// Edits adds the facts learnt from a run to its entry, and strikes outdated ones. The entry's
// file comes first.
func Edits(files map[string][]byte, run string, l Learnt) []memory.FileEdit {
	facts := slices.Clone(l.New)
	for _, u := range l.Updates {
		facts = append(facts, u.New)
	}
	var edits []memory.FileEdit
	added := false
	for _, name := range sorted(files) {
		before := files[name]
		after, inEntry := before, false
		if !added && bytes.Contains(before, []byte(run)) {
			after, inEntry = markdown.Parse(after).AddFacts(run, facts)
			added = added || inEntry
		}
		for _, u := range l.Updates {
			if bytes.Contains(after, []byte(u.Old.ID)) {
				after, _ = markdown.Parse(after).Replace(u.Old.ID, u.Old)
			}
		}
		edit := memory.FileEdit{File: name, Before: before, After: after}
		switch {
		case bytes.Equal(before, after):
		case inEntry:
			edits = slices.Insert(edits, 0, edit)
		default:
			edits = append(edits, edit)
		}
	}
	return edits
}
