package writeback

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// change is what the record of a change holds: its files as they will be.
// What they held before is in the view until the change is done.
type change struct {
	Edits  []changedFile `json:"edits"`
	Forget []struck      `json:"forget,omitempty"`
	// Of a change that is kept for Undo:
	Command string   `json:"command,omitempty"`
	Title   string   `json:"title,omitempty"`
	Undoes  string   `json:"undoes,omitempty"` // the change that it takes back
	Source  string   `json:"source,omitempty"` // see lost.by; empty: itself
	Return  []string `json:"return,omitempty"` // ids that are forgotten no more
	Lift    []string `json:"lift,omitempty"`   // tombstones that go

	By *Author `json:"by,omitempty"` // the agent that makes it
}

type changedFile struct {
	File  string `json:"file"`
	After []byte `json:"after"` // null: the file goes
}

// struck is an entry or fact that goes with a change.
type struck struct {
	Ref
	Text []byte `json:"text"`
}

// changeRecord makes the record of a change. view must be full.
func (w *writer) changeRecord(ctx context.Context, c Change) (journal.Record, error) {
	body := change{Undoes: c.undoes, Source: c.source, Return: c.back, Lift: c.lift, By: c.By}
	if c.Kept != nil {
		body.Command, body.Title = c.Command, c.Title
	}
	for _, e := range c.Edits {
		body.Edits = append(body.Edits, changedFile{journal.NameToJSON(e.File), e.After})
	}
	if len(c.Forget) > 0 {
		standing := w.standing(ctx, c.Forget)
		for _, id := range c.Forget {
			s, ok := standing[id]
			if !ok {
				return journal.Record{}, fmt.Errorf("%s: %w", id, ErrNotFound)
			}
			s.ID, s.File = id, journal.NameToJSON(s.File)
			body.Forget = append(body.Forget, s)
		}
	}
	for _, name := range c.ForgetFiles {
		if content := w.view.files.get(name); len(bytes.TrimSpace(content)) > 0 {
			body.Forget = append(body.Forget, struck{wholeRef(journal.NameToJSON(name)), content})
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

// standing finds the entries and facts with these ids, in one pass over the
// files, the first place of each, and where something took it in only when it has no other: a
// fact whose note says nothing else with the note, as Document.Remove takes it
// out. view must be full.
func (w *writer) standing(ctx context.Context, ids []string) map[string]struck {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	found, own := map[string]struck{}, map[string]bool{}
	add := func(id string, s struck, owned bool) {
		if _, there := found[id]; wanted[id] && (!there || owned && !own[id]) {
			found[id], own[id] = s, owned
		}
	}
	for name, content := range w.holding(ctx, ids...) {
		if !mayHoldOne(content, ids) {
			continue
		}
		for _, b := range markdown.Parse(content).Blocks {
			alone := b.Entry != nil && b.Entry.Kind == memory.KindNote && len(b.Facts) == 1
			if b.Entry != nil {
				add(b.Entry.ID, struck{Ref{Title: titleOf(*b.Entry), File: name}, b.Raw}, true)
			}
			for _, f := range b.Facts {
				s := struck{Ref{Title: firstLine(f.Text), File: name}, b.Raw}
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

// mayHoldOne says whether one of some ids may stand in a file: parsing it takes less
// time than searching it for many.
func mayHoldOne(content []byte, ids []string) bool {
	return len(ids) > 16 || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(content, []byte(id)) })
}

func changeOf(r journal.Record) (c change, err error) {
	if err := json.Unmarshal(r.Text, &c); err != nil {
		return c, fmt.Errorf("reading the change %s (%s) in the log: %w", r.ID, r.Title, err)
	}
	for i := range c.Edits {
		c.Edits[i].File = journal.NameFromJSON(c.Edits[i].File)
	}
	for i := range c.Forget {
		c.Forget[i].File = journal.NameFromJSON(c.Forget[i].File)
	}
	return c, nil
}

// changed replays that a change was made, when is the mtime of its last file.
func (v *view) changed(r journal.Record, when int64) {
	c, err := changeOf(r)
	if err != nil {
		v.damaged = append(v.damaged, err.Error())
		return
	}
	v.changeWrote(c)
	for _, e := range c.Edits {
		if e.After == nil {
			v.files.drop(e.File)
		} else {
			v.moves = append(v.moves, moved{e.File, v.files.get(e.File), e.After, when})
			v.files.set(e.File, e.After)
		}
	}
	for _, id := range c.Return {
		delete(v.lost, id)
	}
	for _, hash := range c.Lift {
		delete(v.tombs, hash)
	}
	for _, f := range c.Forget {
		if !isWholeFile(f.ID) { // another file may get its name
			v.setTombstones(f.ID, f.Text)
		} else if old, there := v.lost[f.ID]; there && !bytes.Equal(old.text, f.Text) {
			old.ID += "@" + memory.ShortID(old.by) // the file went before, with another text
			v.lost[old.ID] = old
		}
		v.lost[f.ID] = lost{f.Ref, f.Text, true, c.sourceOr(r.ID)}
		v.noteRemoval(f.ID, f.Text, when)
	}
	if slices.ContainsFunc(c.Forget, func(f struck) bool { return isWholeFile(f.ID) }) {
		v.dropOldFiles()
	}
}

// maxLostFiles is how many bytes of files that changes took away can be
// restored: the log holds them, and every change reads the log.
const maxLostFiles = 10 << 20

// dropOldFiles lets go of the files that went first where there are too many.
func (v *view) dropOldFiles() {
	var list []lost
	for id, l := range v.lost {
		if isWholeFile(id) && l.forgotten {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b lost) int { return cmp.Or(strings.Compare(b.by, a.by), strings.Compare(a.ID, b.ID)) })
	size := 0
	for _, l := range list {
		if size += len(l.text); size > maxLostFiles {
			delete(v.lost, l.ID)
		}
	}
}

// kept says whether the change is kept for Undo.
func (c change) kept() bool { return c.Command != "" }

// sourceOr is the change that counts as the one that forgot what this one, with
// the given id, forgets.
func (c change) sourceOr(id string) string { return cmp.Or(c.Source, id) }

// firstChange is the place of the oldest pending change, -1 without one.
func (v *view) firstChange() int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == journal.OpChange })
}
