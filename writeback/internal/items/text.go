package items

import (
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// EntryText is an entry or fact with its text in a file.
type EntryText struct {
	Ref
	Text   []byte
	Holder string // for an id that was merged into a fact, the id of that fact
}

// Holds reports whether a text has an entry or fact with this id, or one that was merged into another.
func Holds(content []byte, id string) bool {
	return slices.Contains(markdown.Parse(content).IDs(), id)
}

// Missing returns the entries of old that are not in now. An entry also counts as missing if now
// ends in the middle of it. missing ignores missing facts of entries: files are there to be edited.
func Missing(old, now []byte) []EntryText {
	if len(old) == 0 {
		return nil
	}
	still := markdown.Parse(now).IDs()
	var gone []EntryText
	for _, b := range markdown.Parse(old).Blocks {
		if b.Entry == nil || b.Entry.ID == "" || b.IsNote() && slices.Contains(still, b.Facts[0].ID) {
			continue
		}
		if !slices.Contains(still, b.Entry.ID) || TornAt(now, []journal.Record{{Text: b.Raw}}) < len(now) {
			gone = append(gone, EntryText{Ref: Ref{ID: b.Entry.ID, Title: TitleOf(*b.Entry)}, Text: b.Raw})
		}
	}
	return gone
}

// MissingFacts returns the facts of hand-written text in old, such as that of MEMORY.md, that now
// does not hold, each with the missing id. An id that was merged into a fact counts only if it is
// in unseen, because other programs may remove such an id.
func MissingFacts(old, now []byte, unseen map[string]bool) []EntryText {
	still := map[string]bool{"": true}
	for _, id := range markdown.Parse(now).IDs() {
		still[id] = true
	}
	var gone []EntryText
	for _, b := range markdown.Parse(old).Blocks {
		if b.Entry != nil {
			continue
		}
		for _, f := range b.Facts {
			id := slices.IndexFunc(f.IDs(), func(id string) bool { return !still[id] && (id == f.ID || unseen[id]) })
			if id >= 0 {
				e := EntryText{Ref: Ref{ID: f.IDs()[id], Title: FirstLine(f.Text)}, Text: f.Raw}
				if e.ID != f.ID {
					e.Holder = f.ID
				}
				gone = append(gone, e)
			}
		}
	}
	return gone
}

// TitleOf returns the name of an entry: its title or, for a note, which has none, the first line of
// its fact.
func TitleOf(e memory.Entry) string {
	if e.Title == "" && len(e.Facts) > 0 {
		return FirstLine(e.Facts[0].Text)
	}
	return e.Title
}

// FirstLine returns the first line of a text that is not blank.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// Cut removes an entry or fact from content.
func Cut(content []byte, id string) (rest []byte, taken EntryText, ok bool) {
	rest, text, ok := markdown.Parse(content).Remove(id)
	taken = EntryText{Ref: Ref{ID: id}, Text: text}
	doc := markdown.Parse(text)
	if entries := doc.Entries(); len(entries) > 0 {
		taken.Title = TitleOf(*entries[0])
		return rest, taken, ok
	}
	if facts := doc.Facts(); len(facts) > 0 {
		taken.Title = FirstLine(facts[0].Text)
	}
	return rest, taken, ok
}

// IsEntry reports whether a text holds an entry, and not only facts.
func IsEntry(text []byte) bool { return len(markdown.Parse(text).Entries()) > 0 }

// JudgedOf returns the ids of the judgements in text about the entry or run with this id. They
// quote its title or task.
func JudgedOf(text []byte, id string) []string {
	var ids []string
	for _, j := range markdown.ParseJudgements(text) {
		if j.Entry == id || j.Run == id {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
