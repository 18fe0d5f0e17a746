package items

import (
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"bytes"
	"slices"
)

// tornLeast is the least number of bytes at the end of a file that count as the remains of an
// interrupted append: the heading's date and time.
const tornLeast = len("## 2026-11-21 14:32")

// TornAt returns where a torn entry begins at the end of content, or the length of content. It
// serves files that were edited by hand after an append was interrupted, or by an editor that read
// half of one. MissingTail serves all others.
func TornAt(content []byte, batch []journal.Record) int {
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

// MissingTail returns the text to append to content so that it holds every record once. base is the
// length of content before these records. The rest of content is the part that an interrupted
// append left. fits reports whether that part is a prefix of the text to append. If it is not, tail
// leaves out each record that the rest does not begin with.
func MissingTail(content []byte, base int, name string, records []journal.Record) (tail []byte, fits bool) {
	before, rest := slices.Clip(content[:base]), content[base:]
	fits = true
	for _, r := range records {
		full := append([]byte(Separator(before, name, r.Text)), r.Text...)
		switch {
		case bytes.HasPrefix(rest, full):
			rest = rest[len(full):]
		case bytes.HasPrefix(full, rest):
			tail = append(tail, full[len(rest):]...)
			rest = nil
		default:
			fits = false
		}
		before = append(before, full...)
	}
	return tail, fits && len(rest) == 0
}

// StandsIn reports whether a file holds the text that a record appends. A note whose comment lost
// the note's id is recognised by its fact.
func StandsIn(content []byte, r journal.Record) bool {
	if bytes.Contains(content, []byte(r.ID)) && Holds(content, r.ID) {
		return true
	}
	return markdown.IsNote(r.Text) && Holds(content, markdown.Parse(r.Text).Facts()[0].ID)
}
