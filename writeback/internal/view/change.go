package view

import (
	"agentflow/memory"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Change is the content of a change's record in the log: its files as they will be. Their earlier
// contents are in the view until the change is done.
type Change struct {
	Edits  []ChangedFile `json:"edits"`
	Forget []Struck      `json:"forget,omitempty"`
	// For a change that is kept for Undo:
	Command string   `json:"command,omitempty"`
	Title   string   `json:"title,omitempty"`
	Undoes  string   `json:"undoes,omitempty"` // the change that it takes back
	Source  string   `json:"source,omitempty"` // see Lost.By; empty: this change
	Return  []string `json:"return,omitempty"` // ids that are no longer forgotten
	Lift    []string `json:"lift,omitempty"`   // tombstones to remove

	By *Author `json:"by,omitempty"` // the agent that makes the change
}

// ChangedFile is a file as a change leaves it.
type ChangedFile struct {
	File  string `json:"file"`
	After []byte `json:"after"` // null: the file is removed
}

// Struck is an entry or fact that a change removes.
type Struck struct {
	items.Ref
	Text []byte `json:"text"`
}

// ChangeOf decodes the record of a change.
func ChangeOf(r journal.Record) (c Change, err error) {
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
func (v *View) changed(r journal.Record, when int64) {
	c, err := ChangeOf(r)
	if err != nil {
		v.Damaged = append(v.Damaged, err.Error())
		return
	}
	v.changeWrote(c)
	for _, e := range c.Edits {
		if e.After == nil {
			v.Files.drop(e.File)
		} else {
			v.moves = append(v.moves, moved{e.File, v.Files.Get(e.File), e.After, when})
			v.Files.set(e.File, e.After)
		}
	}
	for _, id := range c.Return {
		delete(v.Lost, id)
	}
	for _, hash := range c.Lift {
		delete(v.Tombs, hash)
	}
	for _, f := range c.Forget {
		if !items.IsWhole(f.ID) { // another file may get its name
			v.setTombstones(f.ID, f.Text)
		} else if old, there := v.Lost[f.ID]; there && !bytes.Equal(old.Text, f.Text) {
			old.ID += "@" + memory.ShortID(old.By) // the file was removed before, with another text
			v.Lost[old.ID] = old
		}
		v.Lost[f.ID] = Lost{f.Ref, f.Text, true, c.SourceOr(r.ID)}
		v.noteRemoval(f.ID, f.Text, when)
	}
	if slices.ContainsFunc(c.Forget, func(f Struck) bool { return items.IsWhole(f.ID) }) {
		v.dropOldFiles()
	}
}

// MaxLostFiles bounds the files that changes removed and that can be restored, in bytes. The log
// holds them, and every change reads the log.
const MaxLostFiles = 10 << 20

// dropOldFiles drops the files that were removed first if there are too many.
func (v *View) dropOldFiles() {
	var list []Lost
	for id, l := range v.Lost {
		if items.IsWhole(id) && l.Forgotten {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Lost) int { return cmp.Or(strings.Compare(b.By, a.By), strings.Compare(a.ID, b.ID)) })
	size := 0
	for _, l := range list {
		if size += len(l.Text); size > MaxLostFiles {
			delete(v.Lost, l.ID)
		}
	}
}

// Kept reports whether the change is kept for Undo.
func (c Change) Kept() bool { return c.Command != "" }

// SourceOr returns the id of the change that counts as having forgotten the entries and facts in
// c.Forget. id is the id of c.
func (c Change) SourceOr(id string) string { return cmp.Or(c.Source, id) }

// FirstChange returns the index of the oldest pending change, or -1.
func (v *View) FirstChange() int {
	return slices.IndexFunc(v.Pending, func(p Pending) bool { return p.Op == journal.OpChange })
}
