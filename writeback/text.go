package writeback

import (
	"context"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// entryText is an entry as it stands in a file.
type entryText struct {
	Ref
	text   []byte
	holder string // of an id that was merged into a fact: that fact's
}

func holds(content []byte, id string) bool {
	return slices.Contains(markdown.Parse(content).IDs(), id)
}

// owner is the id of the entry or fact that holds id: id itself where something
// has it as its own, else that of the fact into which the fact id was merged.
// view must be full.
func (w *writer) owner(ctx context.Context, id string) string {
	for _, name := range w.filesWith(ctx, id) { // those where something has it as its own come first
		d := markdown.Parse(w.view.files.get(name))
		if d.Owns(id) {
			return id
		}
		for _, f := range d.Facts() {
			if f.Has(id) && f.ID != "" {
				return f.ID
			}
		}
	}
	return id
}

// missing are the entries of old that now no longer holds, or holds only the
// beginning of at its end. Its facts are not among them: editing an entry is
// what its file is for.
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

// missingFacts are the facts of old's hand-written text, such as MEMORY.md's,
// that now no longer holds, each by the id that is gone. What was merged into
// a fact that stands counts where it is among the unseen: others may take out
// such an id.
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

// titleOf is how an entry is named: a note has no title, so its fact stands
// for it.
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

// cut takes an entry or fact out of content.
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
