package writeback

import (
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// entryText is an entry or fact with its text in a file.
type entryText struct {
	Ref
	text   []byte
	holder string // for an id that was merged into a fact, the id of that fact
}

func holds(content []byte, id string) bool {
	return slices.Contains(markdown.Parse(content).IDs(), id)
}

// missing returns the entries of old that are not in now. An entry also counts as missing if now
// ends in the middle of it. missing ignores missing facts of entries: files are there to be edited.
func missing(old, now []byte) []entryText {
	if len(old) == 0 {
		return nil
	}
	still := markdown.Parse(now).IDs()
	var gone []entryText
	for _, b := range markdown.Parse(old).Blocks {
		if b.Entry == nil || b.Entry.ID == "" || b.IsNote() && slices.Contains(still, b.Facts[0].ID) {
			continue
		}
		if !slices.Contains(still, b.Entry.ID) || tornAt(now, []journal.Record{{Text: b.Raw}}) < len(now) {
			gone = append(gone, entryText{Ref: Ref{ID: b.Entry.ID, Title: titleOf(*b.Entry)}, text: b.Raw})
		}
	}
	return gone
}

// missingFacts returns the facts of hand-written text in old, such as that of MEMORY.md, that now
// does not hold, each with the missing id. An id that was merged into a fact counts only if it is
// in unseen, because other programs may remove such an id.
func missingFacts(old, now []byte, unseen map[string]bool) []entryText {
	still := map[string]bool{"": true}
	for _, id := range markdown.Parse(now).IDs() {
		still[id] = true
	}
	var gone []entryText
	for _, b := range markdown.Parse(old).Blocks {
		if b.Entry != nil {
			continue
		}
		for _, f := range b.Facts {
			id := slices.IndexFunc(f.IDs(), func(id string) bool { return !still[id] && (id == f.ID || unseen[id]) })
			if id >= 0 {
				e := entryText{Ref: Ref{ID: f.IDs()[id], Title: firstLine(f.Text)}, text: f.Raw}
				if e.ID != f.ID {
					e.holder = f.ID
				}
				gone = append(gone, e)
			}
		}
	}
	return gone
}

// titleOf returns the name of an entry: its title or, for a note, which has none, the first line of
// its fact.
func titleOf(e memory.Entry) string {
	if e.Title == "" && len(e.Facts) > 0 {
		return firstLine(e.Facts[0].Text)
	}
	return e.Title
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// cut removes an entry or fact from content.
func cut(content []byte, id string) (rest []byte, taken entryText, ok bool) {
	rest, text, ok := markdown.Parse(content).Remove(id)
	taken = entryText{Ref: Ref{ID: id}, text: text}
	doc := markdown.Parse(text)
	if entries := doc.Entries(); len(entries) > 0 {
		taken.Title = titleOf(*entries[0])
		return rest, taken, ok
	}
	if facts := doc.Facts(); len(facts) > 0 {
		taken.Title = firstLine(facts[0].Text)
	}
	return rest, taken, ok
}

func isEntry(text []byte) bool { return len(markdown.Parse(text).Entries()) > 0 }

// judgedOf returns the ids of the judgements in text about the entry or run with this id. They
// quote its title or task.
func judgedOf(text []byte, id string) []string {
	var ids []string
	for _, j := range markdown.ParseJudgements(text) {
		if j.Entry == id || j.Run == id {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
