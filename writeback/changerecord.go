package writeback

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/memory"
)

// change is what the record of a change holds: its files as they will be.
// What they held before is in the view until the change is done.
type change struct {
	Edits  []changedFile `json:"edits"`
	Forget []struck      `json:"forget,omitempty"`
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
func (w *writer) changeRecord(c Change) (record, error) {
	var body change
	for _, e := range c.Edits {
		body.Edits = append(body.Edits, changedFile{e.File, e.After})
	}
	for _, id := range c.Forget {
		names := w.filesWith(id)
		if len(names) == 0 {
			return record{}, fmt.Errorf("%s: %w", id, ErrNotFound)
		}
		_, taken, _ := cut(w.view.files[names[0]], id)
		body.Forget = append(body.Forget, struck{Ref{ID: id, Title: taken.Title, File: names[0]}, taken.text})
	}
	text, err := json.Marshal(body)
	if err != nil {
		return record{}, err
	}
	id, err := memory.NewID(w.Now(), w.Rand)
	if err != nil {
		return record{}, err
	}
	title := c.Verb
	if c.Title != "" {
		title += ": " + c.Title
	}
	return record{Op: opChange, ID: id, Title: title, Text: text}, nil
}

func changeOf(r record) (c change, err error) {
	if err := json.Unmarshal(r.Text, &c); err != nil {
		return c, fmt.Errorf("reading the change %s (%s) in the log: %w", r.ID, r.Title, err)
	}
	return c, nil
}

// changed replays that a change was made.
func (v *view) changed(r record) {
	c, err := changeOf(r)
	if err != nil {
		v.damaged = append(v.damaged, err.Error())
		return
	}
	for _, e := range c.Edits {
		if e.After == nil {
			delete(v.files, e.File)
		} else {
			v.files[e.File] = e.After
		}
	}
	for _, f := range c.Forget {
		v.bury(f.ID, f.Text)
		v.lost[f.ID] = lost{f.Ref, f.Text, true}
	}
}

// firstChange is the place of the oldest pending change, -1 without one.
func (v *view) firstChange() int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == opChange })
}

// seeAfter takes the file as it is after a step for seen.
func (w *writer) seeAfter(e changedFile) {
	if e.After == nil {
		delete(w.seen.files, e.File)
		w.dirty = true
		return
	}
	info, err := os.Stat(filepath.Join(w.Memory, filepath.FromSlash(e.File)))
	if err == nil && info.Size() == int64(len(e.After)) {
		w.see(e.File, stampOf(info, e.After))
	}
}
