package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// Upgrade writes the entries of a file in version 2, and says how many it wrote. Notes come
// together at the first of their day. An entry that a person edited so that version 2 has no
// place for a line of it stays, and so does all other text, byte for byte.
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
	at    int      // the part before which the notes come
	has   bool     // there are bullets at that part already
	total int      // entries that were written
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

// upgraded is an entry of version 1 in version 2. It is false for one that would lose a line.
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

// plainLine is a line without its end and the mark of what is only possible: entries from
// before there was certainty do not have it.
func plainLine(line string) string {
	return strings.TrimSuffix(strings.TrimRight(line, " \t\r\n"), " "+possibly)
}

// headKeys are the keys of the comment of an entry of version 1.
var headKeys = []string{"v", "kind", "id", "time", "agent", "model", "session", "branch", "worktree", "base", "commits", "patch", "possible",
	"certainty", "made", "left", "runs", "outcome", "pinned"}

// ownComment reports an entry's comment to which no pair was added.
func ownComment(line string) bool {
	f, ok := entryComment(line)
	for key := range f {
		ok = ok && slices.Contains(headKeys, key)
	}
	return ok
}
