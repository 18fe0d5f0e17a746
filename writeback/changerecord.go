package writeback

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/view"
)

// changeRecord returns the record of a change. View must be full.
func (w changer) changeRecord(ctx context.Context, c Change) (journal.Record, error) {
	body := view.Change{Undoes: c.undoes, Source: c.source, Return: c.back, Lift: c.lift, By: c.By}
	if c.Kept != nil {
		body.Command, body.Title = c.Command, c.Title
	}
	for _, e := range c.Edits {
		body.Edits = append(body.Edits, view.ChangedFile{File: journal.NameToJSON(e.File), After: e.After})
	}
	if len(c.Forget) > 0 {
		standing := w.standing(ctx, c.Forget)
		for _, id := range c.Forget {
			s, ok := standing[id]
			if !ok {
				return journal.Record{}, fmt.Errorf("%s: %w", memory.ShortID(id), ErrNotFound)
			}
			s.ID, s.File = id, journal.NameToJSON(s.File)
			body.Forget = append(body.Forget, s)
		}
	}
	for _, name := range c.ForgetFiles {
		if content := w.View.Files.Get(name); len(bytes.TrimSpace(content)) > 0 {
			body.Forget = append(body.Forget, view.Struck{Ref: items.WholeRef(journal.NameToJSON(name)), Text: content})
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return journal.Record{}, err
	}
	id, err := memory.NewID(w.Now(), w.Rand)
	if err != nil {
		return journal.Record{}, err
	}
	title := c.Command
	if c.Title != "" {
		title += ": " + c.Title
	}
	return journal.Record{Op: journal.OpChange, ID: id, Title: title, Text: text}, nil
}

// standing finds the entries and facts with these ids in one pass over the files. It returns the
// first place of each. A place where the id was merged into another fact counts only if there is no
// other. A fact that is the only one of its note is returned with the whole note, as
// Document.Remove does. View must be full.
func (w changer) standing(ctx context.Context, ids []string) map[string]view.Struck {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	found, own := map[string]view.Struck{}, map[string]bool{}
	add := func(id string, s view.Struck, owned bool) {
		if _, there := found[id]; wanted[id] && (!there || owned && !own[id]) {
			found[id], own[id] = s, owned
		}
	}
	for name, content := range w.Candidates(ctx, ids...) {
		if !mayHoldOne(content, ids) {
			continue
		}
		for _, b := range markdown.Parse(content).Blocks {
			alone := b.Entry != nil && b.Entry.Kind == memory.KindNote && len(b.Facts) == 1
			if b.Entry != nil {
				add(b.Entry.ID, view.Struck{Ref: Ref{Title: items.TitleOf(*b.Entry), File: name}, Text: b.Raw}, true)
			}
			for _, f := range b.Facts {
				s := view.Struck{Ref: Ref{Title: items.FirstLine(f.Text), File: name}, Text: b.Raw}
				if !alone {
					s.Text = f.Raw
				}
				for _, id := range f.IDs() {
					add(id, s, id == f.ID)
				}
			}
		}
	}
	return found
}

// mayHoldOne reports whether a file may hold one of some ids. For many ids it returns true, because
// parsing the file takes less time than searching it for all of them.
func mayHoldOne(content []byte, ids []string) bool {
	return len(ids) > 16 || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(content, []byte(id)) })
}
