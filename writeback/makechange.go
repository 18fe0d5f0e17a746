package writeback

import (
	"context"
	"errors"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// makeChange gives the files of a logged change their new contents. If a file was edited by hand or
// cannot be written, it gives them their old contents back, and edited names that file. Either way
// it marks the change done. A change that can be neither made nor taken back stays pending, and
// nothing is written before it.
func (w changer) makeChange(ctx context.Context, r journal.Record) (made bool, edited string, err error) {
	c, err := changeOf(r)
	if err != nil {
		return false, "", err
	}
	for _, e := range c.Edits {
		if edited, err = w.folder.step(e.File, w.view.files.get(e.File), e.After); err != nil || edited != "" {
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

// takeBack gives the files that were already changed their former contents. Edits that people made
// of the others stay. Entries and facts that are then in no file are logged as vanished, so that
// they are reported and can be restored.
func (w changer) takeBack(ctx context.Context, r journal.Record, c change) error {
	for _, e := range c.Edits {
		if _, err := w.folder.step(e.File, e.After, w.view.files.get(e.File)); err != nil {
			return err
		}
	}
	if err := w.archive.drop(r.ID); err != nil {
		return err
	}
	lost, err := w.lostBy(c)
	if err != nil {
		return err
	}
	return w.log(ctx, true, append(lost, journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Kept: true})...)
}

// lostBy returns records of the entries and facts of a change's files that are in no file any more.
func (w changer) lostBy(c change) ([]journal.Record, error) {
	now := map[string]bool{}
	add := func(content []byte) {
		for _, id := range markdown.Parse(content).IDs() {
			now[id] = true
		}
	}
	ours := map[string]bool{}
	for _, e := range c.Edits {
		ours[e.File] = true
		content, _, err := read(w.folder.path(e.File))
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

// keep stores how a change that was just made can be taken back. view holds memory as it was before
// the change.
func (w changer) keep(r journal.Record, c change) error {
	k := kept{Made: Made{ID: r.ID, Command: c.Command, Title: c.Title, At: w.Now(), Undoes: c.Undoes}, source: c.sourceOr(r.ID), returned: c.Return}
	for _, e := range c.Edits {
		before := w.view.files.get(e.File)
		k.Files = append(k.Files, e.File)
		k.files = append(k.files, memory.FileEdit{File: e.File, Before: before, After: e.After})
	}
	for _, f := range c.Forget {
		k.forgot = append(k.forgot, f.ID)
		for _, id := range append(idsIn(f.Text), f.ID) {
			if hash := tombstone(id); !w.view.tombs[hash] && !slices.Contains(k.tombs, hash) {
				k.tombs = append(k.tombs, hash)
			}
		}
	}
	return w.archive.writeKept(k)
}
