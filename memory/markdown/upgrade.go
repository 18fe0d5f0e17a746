package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// Upgrade writes the entries of a file in version 2, and returns how many it wrote. Notes are moved
// to the first note of their day. An entry stays as it is if a person added a line that version 2
// has no place for. All other text stays byte for byte.
func Upgrade(file []byte) (text []byte, entries int) {
	d := Parse(file)
	var day upgrade
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Entry == nil && b.opensDay(i == 0) {
			text = append(text, day.bytes()...)
			day = upgrade{total: day.total}
		}
		day.add(b)
	}
	text = append(text, day.bytes()...)
	before, after := d.IDs(), Parse(text).IDs()
	slices.Sort(before)
	slices.Sort(after)
	if day.total == 0 || !slices.Equal(before, after) {
		return file, 0
	}
	return text, day.total
}

// opensDay reports whether hand-written text has the heading of a day.
func (b *Block) opensDay(first bool) bool {
	return slices.ContainsFunc(b.Headings(first), func(h Heading) bool { return h.Level == 1 })
}

// upgrade is one day of a file.
type upgrade struct {
	parts [][]byte
	notes [][]byte // bullets
	at    int      // the index of the part that the notes are inserted before
	has   bool     // there are already bullets at that part
	total int      // number of entries written
}

func (u *upgrade) add(b *Block) {
	text, ok := b.upgraded()
	switch {
	case ok && IsNote(text):
		if len(u.notes) == 0 && !u.has {
			u.at = len(u.parts)
		}
		u.notes = append(u.notes, text)
	case b.IsNote() && !u.has:
		u.at, u.has = len(u.parts), true
		u.parts = append(u.parts, b.Raw)
	case ok:
		u.parts = append(u.parts, text)
	default:
		u.parts = append(u.parts, b.Raw)
	}
	if ok {
		u.total++
	}
}

func (u *upgrade) bytes() []byte {
	notes := bytes.Join(u.notes, nil)
	if len(notes) > 0 && !u.has {
		notes = slices.Concat([]byte(NotesHeading+"\n\n"), notes, []byte("\n"))
	}
	if bytes.Contains(bytes.Join(u.parts, nil), []byte("\r\n")) {
		notes = bytes.ReplaceAll(bytes.ReplaceAll(notes, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	parts := slices.Insert(slices.Clone(u.parts), min(u.at, len(u.parts)), notes)
	return bytes.Join(parts, nil)
}

// upgraded returns an entry of version 1 in version 2. It reports false if a line would be lost.
func (b *Block) upgraded() ([]byte, bool) {
	if b.Version != 1 || b.Entry.ID == "" || b.Entry.Extra != "" {
		return nil, false
	}
	raw := strings.ReplaceAll(string(b.Raw), "\r\n", "\n")
	known := map[string]bool{}
	for line := range strings.Lines(string(Format(*b.Entry))) {
		known[plainLine(line)] = true
	}
	for line := range strings.Lines(raw) {
		if line = plainLine(line); line != "" && !known[line] && !ownComment(line) {
			return nil, false
		}
	}
	text := FormatV2(*b.Entry)
	if got := Parse(text).Entries(); len(got) != 1 || !bytes.Equal(FormatV2(*got[0]), text) {
		return nil, false
	}
	if len(raw) < len(b.Raw) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, true
}

// plainLine returns a line without its end and without the mark of a change that is only possible.
// Entries from before there were certainties do not have the mark.
func plainLine(line string) string {
	return strings.TrimSuffix(strings.TrimRight(line, " \t\r\n"), " "+possibly)
}

// headKeys lists the keys in the comment of a version 1 entry.
var headKeys = []string{"v", "kind", "id", "time", "agent", "model", "session", "branch", "worktree", "base", "commits", "patch", "possible",
	"certainty", "made", "left", "runs", "outcome", "pinned"}

// ownComment reports whether a line is an entry's comment to which no pair was added.
func ownComment(line string) bool {
	f, ok := entryComment(line)
	for key := range f {
		ok = ok && slices.Contains(headKeys, key)
	}
	return ok
}
