package writeback

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// makeChange gives the files of a logged change their new contents. If a file was edited by hand or
// cannot be written, it gives them their old contents back, and edited names that file. Either way
// it marks the change done. A change that can be neither made nor taken back stays pending, and
// nothing is written before it.
func (w *writer) makeChange(ctx context.Context, r journal.Record) (made bool, edited string, err error) {
	c, err := changeOf(r)
	if err != nil {
		return false, "", err
	}
	for _, e := range c.Edits {
		if edited, err = w.step(e.File, w.view.files.get(e.File), e.After); err != nil || edited != "" {
			return false, e.File, errors.Join(err, w.takeBack(ctx, r, c))
		}
	}
	saved := int64(0)
	for _, e := range c.Edits {
		w.seeAfter(e)
		saved = max(saved, w.seen.files[e.File].mtime)
	}
	if c.kept() {
		if err := w.keep(r, c); err != nil {
			w.degrade("a change of memory (" + r.Title + ") cannot be taken back later: " + err.Error())
		}
	}
	w.logDone(ctx, []journal.Record{{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Stamp: saved}})
	return true, "", nil
}

// step changes one file from before to after. If the file holds neither, step returns its name in
// edited.
func (w *writer) step(name string, before, after []byte) (edited string, err error) {
	at := w.path(name)
	content, info, err := read(at)
	if isOther(err) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	there := info != nil
	switch {
	case there == (after != nil) && bytes.Equal(content, after):
		return "", nil
	case there != (before != nil) || !bytes.Equal(content, before):
		return name, nil
	}
	if err := w.linkless(name); err != nil {
		return "", err
	}
	made := true
	switch {
	case after == nil:
		if err = w.sys.Remove(at); err == nil {
			w.removeEmpty(name)
		}
	case before == nil:
		if err = w.sys.MkdirAll(filepath.Dir(at), 0o700); err == nil {
			err = atomicfile.WriteTo(w.sys, at, after, 0o600)
		}
	default:
		made, err = atomicfile.ReplaceIf(w.sys, at, before, after)
	}
	if err == nil && !made {
		return name, nil
	}
	return "", err
}

// removeEmpty removes the folders below memory.NotesFolder that become empty when the file with
// this name is removed. There, a folder exists only as long as it holds a file.
func (w *writer) removeEmpty(name string) {
	for dir := path.Dir(name); memory.InNotes(dir); dir = path.Dir(dir) {
		if w.sys.Remove(w.path(dir)) != nil {
			return // something else is in it
		}
	}
}

// takeBack gives the files that were already changed their former contents. Edits that people made
// of the others stay. Entries and facts that are then in no file are logged as vanished, so that
// they are reported and can be restored.
func (w *writer) takeBack(ctx context.Context, r journal.Record, c change) error {
	for _, e := range c.Edits {
		if _, err := w.step(e.File, e.After, w.view.files.get(e.File)); err != nil {
			return err
		}
	}
	if err := unlessMissing(w.sys.Remove(w.keptPath(r.ID))); err != nil {
		return err
	}
	lost, err := w.lostBy(c)
	if err != nil {
		return err
	}
	return w.log(ctx, true, append(lost, journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Kept: true})...)
}

// lostBy returns records of the entries and facts of a change's files that are in no file any more.
func (w *writer) lostBy(c change) ([]journal.Record, error) {
	now := map[string]bool{}
	add := func(content []byte) {
		for _, id := range markdown.Parse(content).IDs() {
			now[id] = true
		}
	}
	ours := map[string]bool{}
	for _, e := range c.Edits {
		ours[e.File] = true
		content, _, err := read(w.path(e.File))
		if err != nil && !isOther(err) {
			return nil, err
		}
		add(content)
	}
	for name, content := range w.view.files.all() {
		if !ours[name] {
			add(content)
		}
	}
	var lost []journal.Record
	for _, e := range c.Edits {
		before := w.view.files.get(e.File)
		for _, id := range markdown.Parse(before).IDs() {
			if !now[id] {
				now[id] = true
				_, taken, _ := cut(before, id)
				lost = append(lost, journal.Record{Op: journal.OpLost, ID: id, File: e.File, Title: taken.Title, Text: taken.text})
			}
		}
	}
	return lost, nil
}

// Interrupted is a change that an earlier command began and could not finish.
type Interrupted struct {
	Title  string // title of the Change
	Made   bool   // true: all of it is made now; false: none of it
	Edited string // the file that was edited by hand, so that the change was taken back, or that cannot be written
}

// String describes the outcome in one line.
func (i Interrupted) String() string {
	if i.Made {
		return "completed a change of memory that was interrupted (" + i.Title + ")"
	}
	return "took back a change of memory that was interrupted (" + i.Title + "), as " + i.Edited + " was edited meanwhile"
}

// seeAfter records the state of a file after a step as seen.
func (w *writer) seeAfter(e changedFile) {
	if e.After == nil {
		delete(w.seen.files, e.File)
		w.dirty = true
		return
	}
	info, err := os.Stat(w.path(e.File))
	if err == nil && info.Size() == int64(len(e.After)) {
		w.see(e.File, stampOf(info, e.After))
	}
}
