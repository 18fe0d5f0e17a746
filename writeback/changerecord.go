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

// change is the content of a change's record in the log: its files as they will be. Their earlier
// contents are in the view until the change is done.
type change struct {
	Edits  []changedFile `json:"edits"`
	Forget []struck      `json:"forget,omitempty"`
	// For a change that is kept for Undo:
	Command string   `json:"command,omitempty"`
	Title   string   `json:"title,omitempty"`
	Undoes  string   `json:"undoes,omitempty"` // the change that it takes back
	Source  string   `json:"source,omitempty"` // see lost.by; empty: this change
	Return  []string `json:"return,omitempty"` // ids that are no longer forgotten
	Lift    []string `json:"lift,omitempty"`   // tombstones to remove

	By *Author `json:"by,omitempty"` // the agent that makes the change
}

type changedFile struct {
	File  string `json:"file"`
	After []byte `json:"after"` // null: the file is removed
}

// struck is an entry or fact that a change removes.
type struck struct {
	Ref
	Text []byte `json:"text"`
}

// changeRecord returns the record of a change. view must be full.
func (w changer) changeRecord(ctx context.Context, c Change) (journal.Record, error) {
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
				return journal.Record{}, fmt.Errorf("%s: %w", memory.ShortID(id), ErrNotFound)
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

// standing finds the entries and facts with these ids in one pass over the files. It returns the
// first place of each. A place where the id was merged into another fact counts only if there is no
// other. A fact that is the only one of its note is returned with the whole note, as
// Document.Remove does. view must be full.
func (w changer) standing(ctx context.Context, ids []string) map[string]struck {
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

// mayHoldOne reports whether a file may hold one of some ids. For many ids it returns true, because
// parsing the file takes less time than searching it for all of them.
func mayHoldOne(content []byte, ids []string) bool {
	return len(ids) > 16 || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(content, []byte(id)) })
}

func changeOf(r journal.Record) (c change, err error) {
	if err := json.Unmarshal(r.Text, &c); err != nil {
		return c, fmt.Errorf("reading the change %s (%s) in the log: %w", memory.ShortID(r.ID), r.Title, err)
	}
	for i := range c.Edits {
		c.Edits[i].File = journal.NameFromJSON(c.Edits[i].File)
	}
	for i := range c.Forget {
		c.Forget[i].File = journal.NameFromJSON(c.Forget[i].File)
	}
	return c, nil
}

// changed replays a change that was made. when is the mtime of its last file.
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
			old.ID += "@" + memory.ShortID(old.by) // the file was removed before, with another text
			v.lost[old.ID] = old
		}
		v.lost[f.ID] = lost{f.Ref, f.Text, true, c.sourceOr(r.ID)}
		v.noteRemoval(f.ID, f.Text, when)
	}
	if slices.ContainsFunc(c.Forget, func(f struck) bool { return isWholeFile(f.ID) }) {
		v.dropOldFiles()
	}
}

// maxLostFiles bounds the files that changes removed and that can be restored, in bytes. The log
// holds them, and every change reads the log.
const maxLostFiles = 10 << 20

// dropOldFiles drops the files that were removed first if there are too many.
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

// kept reports whether the change is kept for Undo.
func (c change) kept() bool { return c.Command != "" }

// sourceOr returns the id of the change that counts as having forgotten the entries and facts in
// c.Forget. id is the id of c.
func (c change) sourceOr(id string) string { return cmp.Or(c.Source, id) }

// firstChange returns the index of the oldest pending change, or -1.
func (v *view) firstChange() int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == journal.OpChange })
}
