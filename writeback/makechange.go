package writeback

import (
	"context"
	"errors"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/view"
)

// makeChange gives the files of a logged change their new contents. If a file was edited by hand or
// cannot be written, it gives them their old contents back, and edited names that file. Either way
// it marks the change done. A change that can be neither made nor taken back stays pending, and
// nothing is written before it.
func (w changer) makeChange(ctx context.Context, r journal.Record) (made bool, edited string, err error) {
	c, err := view.ChangeOf(r)
	if err != nil {
		return false, "", err
	}
	for _, e := range c.Edits {
		if edited, err = w.Folder.Step(e.File, w.View.Files.Get(e.File), e.After); err != nil || edited != "" {
			return false, e.File, errors.Join(err, w.takeBack(ctx, r, c))
		}
	}
	saved := int64(0)
	for _, e := range c.Edits {
		w.SeeAfter(e)
		saved = max(saved, w.Seen.Files[e.File].Mtime)
	}
	if c.Kept() {
		if err := w.keep(r, c); err != nil {
			w.Degrade("a change of memory (" + r.Title + ") cannot be taken back later: " + err.Error())
		}
	}
	w.LogDone(ctx, []journal.Record{{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Stamp: saved}})
	return true, "", nil
}

// takeBack gives the files that were already changed their former contents. Edits that people made
// of the others stay. Entries and facts that are then in no file are logged as vanished, so that
// they are reported and can be restored.
func (w changer) takeBack(ctx context.Context, r journal.Record, c view.Change) error {
	for _, e := range c.Edits {
		if _, err := w.Folder.Step(e.File, e.After, w.View.Files.Get(e.File)); err != nil {
			return err
		}
	}
	if err := w.Archive.Drop(r.ID); err != nil {
		return err
	}
	lost, err := w.lostBy(c)
	if err != nil {
		return err
	}
	return w.Log(ctx, true, append(lost, journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Kept: true})...)
}

// lostBy returns records of the entries and facts of a change's files that are in no file any more.
func (w changer) lostBy(c view.Change) ([]journal.Record, error) {
	now := map[string]bool{}
	add := func(content []byte) {
		for _, id := range markdown.Parse(content).IDs() {
			now[id] = true
		}
	}
	ours := map[string]bool{}
	for _, e := range c.Edits {
		ours[e.File] = true
		content, _, err := folder.Read(w.Folder.Path(e.File))
		if err != nil && !folder.IsOther(err) {
			return nil, err
		}
		add(content)
	}
	for name, content := range w.View.Files.All() {
		if !ours[name] {
			add(content)
		}
	}
	var lost []journal.Record
	for _, e := range c.Edits {
		before := w.View.Files.Get(e.File)
		for _, id := range markdown.Parse(before).IDs() {
			if !now[id] {
				now[id] = true
				_, taken, _ := items.Cut(before, id)
				lost = append(lost, journal.Record{Op: journal.OpLost, ID: id, File: e.File, Title: taken.Title, Text: taken.Text})
			}
		}
	}
	return lost, nil
}

// keep stores how a change that was just made can be taken back. View holds memory as it was before
// the change.
func (w changer) keep(r journal.Record, c view.Change) error {
	k := archive.Kept{Made: Made{ID: r.ID, Command: c.Command, Title: c.Title, At: w.Now(), Undoes: c.Undoes}, Source: c.SourceOr(r.ID), Returned: c.Return}
	for _, e := range c.Edits {
		before := w.View.Files.Get(e.File)
		k.Files = append(k.Files, e.File)
		k.Edits = append(k.Edits, memory.FileEdit{File: e.File, Before: before, After: e.After})
	}
	for _, f := range c.Forget {
		k.Forgot = append(k.Forgot, f.ID)
		for _, id := range append(items.IdsIn(f.Text), f.ID) {
			if hash := items.Tombstone(id); !w.View.Tombs[hash] && !slices.Contains(k.Tombs, hash) {
				k.Tombs = append(k.Tombs, hash)
			}
		}
	}
	return w.Archive.WriteKept(k)
}
