package view

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// StaleSave decides whether an editor that saves a file had read it before its last change: it had
// if the save comes within StaleSave of the change. No person opens a file, deletes the newest
// entry and saves within that time, while every program that rewrites a file does. Text that had
// been added to the file is then appended again. After a later save it counts as deleted by hand.
const StaleSave = 10 * time.Second

// Unseen returns the ids that an editor who saved a file at this time had not seen in it, because
// an append or a change had added them too shortly before.
func (v *View) Unseen(name string, saved time.Time) map[string]bool {
	ids := map[string]bool{}
	within := func(at int64) bool { return saved.Sub(time.Unix(0, at)) < StaleSave }
	for id, at := range v.AppendedAt {
		if within(at) {
			ids[id] = true
		}
	}
	for _, m := range v.moves {
		if m.file == name && within(m.at) {
			for _, id := range m.newIDs() {
				ids[id] = true
			}
		}
	}
	return ids
}

// StoodBefore reports whether a fact in content is as it was in the file before a change that the
// editor who saved the file had not seen.
func (v *View) StoodBefore(name string, saved time.Time, content []byte, id string) bool {
	_, now, _ := items.Cut(content, id)
	return slices.ContainsFunc(v.moves, func(m moved) bool {
		_, before, ok := items.Cut(m.before, id)
		return ok && m.file == name && saved.Sub(time.Unix(0, m.at)) < StaleSave && bytes.Equal(now.Text, before.Text)
	})
}

// BackByStaleSave returns records that forget again the entries and facts that an editor brought
// back by saving contents it had read before. A save within StaleSave of a forget has not seen it.
// A later save counts as a hand edit.
func (v *View) BackByStaleSave(name string, content []byte, info fs.FileInfo) []journal.Record {
	var records []journal.Record
	for _, id := range slices.Sorted(maps.Keys(v.removedAt)) {
		since := info.ModTime().Sub(time.Unix(0, v.removedAt[id]))
		if since >= StaleSave || !v.Tombs[items.Tombstone(id)] || !bytes.Contains(content, []byte(id)) {
			continue
		}
		if _, taken, ok := items.Cut(content, id); ok && markdown.Parse(content).Owns(id) {
			records = append(records, journal.Record{Op: journal.OpForget, ID: id, File: name, Title: taken.Title, Text: taken.Text})
		}
	}
	return records
}

// Rejoined puts back the rest of an entry if an editor read only its beginning, in the middle of an
// append, and then saved more text after it. A person who removes the end of an entry, or changes
// nothing but its last line, within StaleSave of the append gets that back, too.
func (v *View) Rejoined(name string, content []byte, info fs.FileInfo, batch []journal.Record) ([]byte, bool) {
	fresh := map[string]bool{}
	for _, r := range batch {
		fresh[r.ID] = true
	}
	for id, landed := range v.AppendedAt {
		if info.ModTime().Sub(time.Unix(0, landed)).Abs() < StaleSave { // an old copy is not a save
			fresh[id] = true
		}
	}
	old := v.Files.Get(name)
	tail, _ := items.MissingTail(old, len(old), name, batch)
	return rejoin(append(bytes.Clone(old), tail...), content, fresh)
}

// rejoin completes a fresh entry if content differs from whole somewhere after the entry's id.
func rejoin(whole, content []byte, fresh map[string]bool) ([]byte, bool) {
	at := commonPrefix(whole, content)
	if at == len(content) {
		return nil, false // a torn end is completed: see items.MissingTail
	}
	if content[at] != '\n' && !bytes.HasPrefix(content[at:], []byte("\r\n")) { // two lines that begin alike
		at = bytes.LastIndexByte(content[:at], '\n') + 1
	}
	end := 0
	for _, b := range markdown.Parse(whole).Blocks {
		if end += len(b.Raw); end <= at {
			continue
		}
		if b.Entry == nil || !fresh[b.Entry.ID] || !begins(&b, b.Raw[:at-end+len(b.Raw)]) {
			return nil, false
		}
		break
	}
	if end <= at {
		return nil, false
	}
	region, _, _ := bytes.Cut(content[at-1:], []byte("\n## "))
	if goesOn(whole[at:end], region) || sharesFact(whole[at:end], region) {
		return nil, false
	}
	rest := whole[at:end]
	if !bytes.HasSuffix(rest, []byte("\n")) {
		rest = append(bytes.Clone(rest), '\n')
	}
	return bytes.Join([][]byte{content[:at], rest, content[at:]}, nil), true
}

// begins reports whether text is known to be the beginning of the entry: it holds the entry's id
// or, where the id comes at the end of an entry, its heading.
func begins(b *markdown.Block, text []byte) bool {
	return bytes.Contains(text, []byte(b.Entry.ID)) || b.Version == 2 && !b.IsNote() && bytes.Contains(text, []byte("\n"))
}

// goesOn reports whether a text holds anything of the rest of an entry: a line of it, or the end of
// one.
func goesOn(rest, text []byte) bool {
	for line := range strings.Lines(string(rest)) {
		if line = strings.TrimSpace(line); len(line) > 1 && bytes.Contains(text, []byte(line)) {
			return true
		}
		if at := strings.LastIndex(line, "<!-- "); at > 0 && bytes.Contains(text, []byte(line[at:])) {
			return true
		}
	}
	return len(bytes.TrimSpace(rest)) == 0
}

// sharesFact reports whether a text holds a fact of the rest of an entry, in any wording.
func sharesFact(rest, text []byte) bool {
	ids := markdown.Parse(text).IDs()
	return slices.ContainsFunc(markdown.Parse(rest).IDs(), func(id string) bool { return slices.Contains(ids, id) })
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
