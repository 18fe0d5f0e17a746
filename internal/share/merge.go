package share

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Merge brings the changes that another machine made in this clone's folder into the
// clone's memory. Both may have changed the same files. Text is lost only if the other
// machine moved, edited or forgot it and it did not change here.
type Merge struct {
	Base   map[string][]byte    // the folder as this clone last knew it, by file name; nil: unknown
	Theirs map[string][]byte    // the folder now
	Forgot []string             // the ids that the folder lists as forgotten since Base
	Gone   func(id string) bool // reports whether an id was forgotten here and does not come back
}

// Of returns memory after the merge. now is its present contents, by file name.
func (m *Merge) Of(now map[string][]byte) map[string][]byte {
	u := union{Merge: m, after: maps.Clone(now), theirs: idsOf(m.Theirs), base: idsOf(m.Base), moved: map[string]bool{}}
	if len(m.Theirs) > 0 { // else it was withdrawn
		names := m.changed()
		for _, name := range names {
			u.revise(name)
		}
		u.has = idsOf(u.after)
		for _, name := range names {
			u.add(name)
		}
	}
	for _, id := range m.Forgot {
		for name, text := range u.after {
			if bytes.Contains(text, []byte(id)) {
				u.after[name], _ = markdown.Parse(text).RemoveAll(func(i string) bool { return i == id })
			}
		}
	}
	return u.after
}

// changed returns the names of the files that the other machine changed, sorted.
func (m *Merge) changed() []string {
	names := map[string]bool{}
	for _, list := range []map[string][]byte{m.Base, m.Theirs} {
		for name := range list {
			if !bytes.Equal(m.Base[name], m.Theirs[name]) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// union is the state of a running Merge.
type union struct {
	*Merge
	after             map[string][]byte
	has, theirs, base map[string]bool // the ids in after, and in the two folders
	moved             map[string]bool // ids that left a file, because the other machine moved them to another file
}

// revise applies the other machine's edits to a file, and removes the units that it moved to
// another file or merged into another fact. It removes a file that did not change here: add
// replaces it by the other machine's.
func (u *union) revise(name string) {
	base, text := u.Base[name], u.after[name]
	if len(base) == 0 || len(text) == 0 {
		return
	}
	whole := bytes.Equal(base, text) && !u.lacks(base)
	other, here := unitsOf(u.Theirs[name]), unitsOf(text)
	for _, b := range unitsOf(base) {
		own := here.find(b.id)
		switch t := other.find(b.id); {
		case whole:
			u.moved[b.id] = true
		case !saysSame(own, b.raw): // it was changed here
		case saysSame(t, own):
		case t != nil:
			text = bytes.Replace(text, own, t, 1)
		case u.theirs[b.id]:
			text, u.moved[b.id] = bytes.Replace(text, own, nil, 1), true
		}
	}
	if u.after[name] = text; whole {
		delete(u.after, name)
	}
}

// lacks reports whether a file has a unit that the other machine neither has nor forgot.
func (u *union) lacks(text []byte) bool {
	return slices.ContainsFunc(unitsOf(text), func(b unit) bool { return !u.theirs[b.id] && !slices.Contains(u.Forgot, b.id) })
}

// add adds to a file the text that the other machine added. Text removed here stays removed.
func (u *union) add(name string) {
	theirs := u.Theirs[name]
	text, there := u.after[name]
	if !there {
		text, _ = markdown.Parse(theirs).RemoveAll(u.stays)
		if len(unitsOf(text)) == 0 && !slices.ContainsFunc(looseLines(text), func(line string) bool { return !strings.HasPrefix(line, "#") }) || u.Gone(memory.WholeFile(name)) {
			text = nil
		}
	} else {
		for _, t := range unitsOf(theirs) {
			if !u.stays(t.id) {
				text = insert(text, t.raw, t.entry)
			}
		}
		known := linesOf(text, u.Base[name])
		for _, line := range looseLines(theirs) {
			if !known[line] {
				text = insert(text, []byte(line+"\n"), false)
			}
		}
	}
	for _, id := range IDs(text) {
		u.has[id] = true
	}
	if u.after[name] = text; len(text) == 0 {
		delete(u.after, name)
	}
}

// stays reports whether a unit of the other's is not added: it is here, or was removed here.
func (u *union) stays(id string) bool {
	return u.has[id] || u.Gone(id) || u.base[id] && !u.moved[id]
}

// insert adds an entry at the end of a file, and other text above the first entry.
func insert(text, more []byte, entry bool) []byte {
	at := len(text)
	if !entry {
		at = 0
		for _, b := range markdown.Parse(text).Blocks {
			if b.Entry != nil {
				break
			}
			at += len(b.Raw)
		}
		at = len(bytes.TrimRight(text[:at], "\n"))
		for at < len(text) && text[at] == '\n' && !bytes.HasSuffix(text[:at], []byte("\n")) {
			at++
		}
	}
	head := bytes.Clone(text[:at])
	if len(head) > 0 && !bytes.HasSuffix(head, []byte("\n")) {
		head = append(head, '\n')
	}
	return append(append(head, more...), text[at:]...)
}

// unit is an entry, or a fact outside of entries.
type unit struct {
	id    string
	raw   []byte
	entry bool
}

type units []unit

func (list units) find(id string) []byte {
	for _, u := range list {
		if u.id == id {
			return u.raw
		}
	}
	return nil
}

// saysSame compares two units, which may be of different layouts.
func saysSame(a, b []byte) bool {
	return bytes.Equal(a, b) || len(a) > 0 && len(b) > 0 && bytes.Equal(inV1(a), inV1(b))
}

func inV1(text []byte) (out []byte) {
	for _, b := range markdown.Parse(text).Blocks {
		out = append(out, b.V1()...)
	}
	return bytes.TrimSpace(out)
}

// unitsOf returns the units of a file that have ids.
func unitsOf(text []byte) (list units) {
	for _, b := range markdown.Parse(text).Blocks {
		if b.Entry != nil && b.Entry.ID != "" {
			list = append(list, unit{b.Entry.ID, b.Raw, true})
			continue
		}
		for _, f := range b.Facts {
			if f.ID != "" {
				list = append(list, unit{f.ID, f.Raw, false})
			}
		}
	}
	return list
}

// looseLines returns the lines of a file that belong to no entry and no fact.
func looseLines(text []byte) (list []string) {
	for _, b := range markdown.Parse(text).Blocks {
		if b.Entry != nil && b.Entry.ID != "" {
			continue
		}
		rest := string(b.Raw)
		for _, f := range b.Facts {
			rest = strings.Replace(rest, string(f.Raw), "", 1)
		}
		for line := range strings.Lines(rest) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				list = append(list, line)
			}
		}
	}
	return list
}

// linesOf returns the set of the lines of texts.
func linesOf(texts ...[]byte) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for line := range strings.Lines(string(text)) {
			set[strings.TrimRight(line, "\r\n")] = true
		}
	}
	return set
}

// idsOf returns the ids of the entries and facts in files, and the ids merged into them.
func idsOf(files map[string][]byte) map[string]bool {
	ids := map[string]bool{}
	for _, text := range files {
		for _, id := range IDs(text) {
			ids[id] = true
		}
	}
	return ids
}

// SaysSame reports whether two texts of a file hold the same lines and the same number of
// entries and facts, in any order.
func SaysSame(a, b []byte) bool {
	return maps.Equal(linesOf(a), linesOf(b)) && len(unitsOf(a)) == len(unitsOf(b))
}
