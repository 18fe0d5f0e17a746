package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/settle"
	"agentflow/writeback/internal/turn"
)

// amender makes those edits of the log that concern one entry or fact wherever it is: pins,
// removals and purges.
type amender struct {
	*turn.Turn
	settler  settle.Settler
	appender appender
}

// change applies a logged edit to Markdown.
func (w amender) change(ctx context.Context, r journal.Record) error {
	if err := w.Load(ctx); err != nil {
		return err
	}
	if r.Op == journal.OpPurge && items.IsWhole(r.ID) {
		return w.dropFile(ctx, r)
	}
	saved, may := int64(0), w.Holding(ctx, digest.ByID(r.ID))
	for _, name := range w.View.Files.Names() {
		if r.Op != journal.OpPurge && !may(name) { // a purge looks in all files
			continue
		}
		changed, err := w.changeIn(ctx, name, r)
		if err != nil {
			return err
		}
		if changed {
			saved = max(saved, w.Seen.Files[name].Mtime)
		}
	}
	if r.Op == journal.OpPurge {
		return nil // a purge is done once the log no longer holds the text: see scrub
	}
	return w.Log(ctx, false, journal.Record{Op: journal.OpDone, Of: r.Op, ID: r.ID, Stamp: saved})
}

// changeIn makes an edit in one file, starting from the contents that an editor saved last.
func (w amender) changeIn(ctx context.Context, name string, r journal.Record) (changed bool, err error) {
	path := w.Folder.Path(name)
	for range turn.MaxTries {
		content, info, err := folder.Read(path)
		if err != nil || info == nil || !bytes.Contains(content, []byte(r.ID)) {
			return false, err
		}
		if err := w.Folder.Inside(path); err != nil {
			return false, err
		}
		again, err := w.saved(ctx, name, content, info)
		if err != nil {
			return false, err
		}
		if again {
			continue
		}
		text := edited(r, name, content)
		if bytes.Equal(text, content) {
			return false, nil
		}
		made, err := atomicfile.ReplaceIf(w.Sys, path, content, text)
		if err != nil {
			return false, err
		}
		if made {
			return true, w.Replaced(ctx, name, path, text)
		}
	}
	return false, fmt.Errorf("%s: %w", name, turn.ErrReplaced)
}

// saved logs a save by an editor that came after all files were looked at. Once the file is
// replaced, no trace remains of text that the save removed. again reports that entries were put
// back, so the file now holds something else.
func (w amender) saved(ctx context.Context, name string, content []byte, info fs.FileInfo) (again bool, err error) {
	if bytes.Equal(content, w.View.Files.Get(name)) {
		return false, nil
	}
	_, records, err := w.settler.Settle(ctx, name, content, info, w.View.BatchFor(name))
	if errors.Is(err, settle.ErrReread) {
		return true, nil
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	return true, w.appender.appendAll(ctx, name, records)
}

// edited returns the file's contents after the edit, or content itself if there is nothing to
// change.
func edited(r journal.Record, name string, content []byte) []byte {
	if r.Op == journal.OpPin || r.Op == journal.OpUnpin {
		text, _ := markdown.Parse(content).Pin(r.ID, r.Op == journal.OpPin)
		return text
	}
	rest, _ := markdown.Parse(content).RemoveAll(func(id string) bool { return id == r.ID })
	if r.Op == journal.OpPurge && name == memory.FeedbackFile {
		for _, id := range items.JudgedOf(rest, r.ID) {
			rest, _, _ = items.Cut(rest, id)
		}
	}
	return rest
}

// dropFile applies the purge of a whole file to Markdown. If the file holds a text by now that was
// not to be purged, it stays.
func (w amender) dropFile(ctx context.Context, r journal.Record) error {
	name := items.WholeName(r.ID)
	content, info, err := folder.Read(w.Folder.Path(name))
	if err != nil || r.Hash == "" {
		return err
	}
	if info != nil && items.SumOf(content) != r.Hash {
		w.Degrade(name + " was rewritten since, and stays")
		return nil
	}
	if info != nil {
		if err := w.Folder.Linkless(name); err != nil {
			return err
		}
		if err := w.Sys.Remove(w.Folder.Path(name)); err != nil {
			return err
		}
		w.Folder.RemoveEmpty(name)
	}
	delete(w.Seen.Files, name)
	w.Dirty = true
	return w.Log(ctx, false, journal.Record{Op: journal.OpNoFile, File: name})
}
