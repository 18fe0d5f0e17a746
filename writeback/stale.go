package writeback

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"time"

	"agentflow/memory/markdown"
)

// staleSave is how long after a change of a file a save by an editor counts as
// one that had read the file before: nobody opens a file, deletes the newest
// entry and saves within it, and every program that rewrites a file does. What
// had come into the file is then appended again; later it would count as
// deleted by hand.
const staleSave = 10 * time.Second

// moved is a file of a change that was made: what it held before and after.
type moved struct {
	file          string
	before, after []byte
	at            int64 // mtime of the last file of the change, ns
}

// came are the ids that the change brought into the file.
func (m moved) came() []string {
	was := map[string]bool{}
	for _, id := range markdown.Parse(m.before).IDs() {
		was[id] = true
	}
	return slices.DeleteFunc(markdown.Parse(m.after).IDs(), func(id string) bool { return was[id] })
}

// unseen are the ids that whoever saved a file at this time had not seen in
// it: they were appended, or a change brought them there, too shortly before.
func (v *view) unseen(name string, saved time.Time) map[string]bool {
	ids := map[string]bool{}
	within := func(at int64) bool { return saved.Sub(time.Unix(0, at)) < staleSave }
	for id, at := range v.landed {
		if within(at) {
			ids[id] = true
		}
	}
	for _, m := range v.moves {
		if m.file == name && within(m.at) {
			for _, id := range m.came() {
				ids[id] = true
			}
		}
	}
	return ids
}

// wasSo says whether a fact stands in content as it stood in the file before a
// change that whoever saved it had not seen.
func (v *view) wasSo(name string, saved time.Time, content []byte, id string) bool {
	_, now, _ := cut(content, id)
	return slices.ContainsFunc(v.moves, func(m moved) bool {
		_, before, ok := cut(m.before, id)
		return ok && m.file == name && saved.Sub(time.Unix(0, m.at)) < staleSave && bytes.Equal(now.text, before.text)
	})
}

// landings are when ids came into their files, by appends and by what is
// recent of the changes.
func (v *view) landings() map[string]int64 {
	all := maps.Clone(v.landed)
	newest := int64(0)
	for _, m := range v.moves {
		newest = max(newest, m.at)
	}
	for _, m := range v.moves {
		if newest-m.at < int64(staleSave) {
			for _, id := range m.came() {
				all[id] = max(all[id], m.at)
			}
		}
	}
	return all
}

// backByStaleSave are records that forget once more what an editor has brought
// back with what it had read before: whoever saves within staleSave of a
// forget has not seen it. Later it is a hand edit like any other.
func (w *writer) backByStaleSave(name string, content []byte, info fs.FileInfo) []record {
	var records []record
	for _, id := range slices.Sorted(maps.Keys(w.view.left)) {
		since := info.ModTime().Sub(time.Unix(0, w.view.left[id]))
		if since >= staleSave || !w.view.tombs[tombstone(id)] || !bytes.Contains(content, []byte(id)) {
			continue
		}
		if _, taken, ok := cut(content, id); ok && markdown.Parse(content).Owns(id) {
			records = append(records, record{Op: opForget, ID: id, File: name, Title: taken.Title, Text: taken.text})
		}
	}
	return records
}
