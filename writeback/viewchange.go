package writeback

import (
	"agentflow/memory"
	"agentflow/writeback/internal/journal"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
