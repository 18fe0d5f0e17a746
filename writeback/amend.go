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
	"agentflow/writeback/internal/journal"
)

// amender makes those edits of the log that concern one entry or fact wherever it is: pins,
// removals and purges.
type amender struct {
	*turn
	settler  settler
	appender appender
}

// change applies a logged edit to Markdown.
func (w amender) change(ctx context.Context, r journal.Record) error {
	if err := w.load(ctx); err != nil {
		return err
	}
	if r.Op == journal.OpPurge && isWholeFile(r.ID) {
		return w.dropFile(ctx, r)
	}
	saved, may := int64(0), w.Holding(ctx, digest.ByID(r.ID))
	for _, name := range w.view.files.names() {
		if r.Op != journal.OpPurge && !may(name) { // a purge looks in all files
			continue
		}
		changed, err := w.changeIn(ctx, name, r)
		if err != nil {
			return err
		}
		if changed {
			saved = max(saved, w.seen.files[name].mtime)
		}
	}
	if r.Op == journal.OpPurge {
		return nil // a purge is done once the log no longer holds the text: see scrub
	}
	return w.log(ctx, false, journal.Record{Op: journal.OpDone, Of: r.Op, ID: r.ID, Stamp: saved})
}

// changeIn makes an edit in one file, starting from the contents that an editor saved last.
func (w amender) changeIn(ctx context.Context, name string, r journal.Record) (changed bool, err error) {
	path := w.folder.path(name)
	for range maxTries {
		content, info, err := read(path)
		if err != nil || info == nil || !bytes.Contains(content, []byte(r.ID)) {
			return false, err
		}
		if err := w.folder.inside(path); err != nil {
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
		made, err := atomicfile.ReplaceIf(w.sys, path, content, text)
		if err != nil {
			return false, err
		}
		if made {
			return true, w.replaced(ctx, name, path, text)
		}
	}
	return false, fmt.Errorf("%s: %w", name, errReplaced)
}

// saved logs a save by an editor that came after all files were looked at. Once the file is
// replaced, no trace remains of text that the save removed. again reports that entries were put
// back, so the file now holds something else.
func (w amender) saved(ctx context.Context, name string, content []byte, info fs.FileInfo) (again bool, err error) {
	if bytes.Equal(content, w.view.files.get(name)) {
		return false, nil
	}
	_, records, err := w.settler.settle(ctx, name, content, info, w.view.batchFor(name))
	if errors.Is(err, errReread) {
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
		for _, id := range judgedOf(rest, r.ID) {
			rest, _, _ = cut(rest, id)
		}
	}
	return rest
}

// dropFile applies the purge of a whole file to Markdown. If the file holds a text by now that was
// not to be purged, it stays.
func (w amender) dropFile(ctx context.Context, r journal.Record) error {
	name := wholeName(r.ID)
	content, info, err := read(w.folder.path(name))
	if err != nil || r.Hash == "" {
		return err
	}
	if info != nil && sumOf(content) != r.Hash {
		w.degrade(name + " was written anew since, and stays")
		return nil
	}
	if info != nil {
		if err := w.folder.linkless(name); err != nil {
			return err
		}
		if err := w.sys.Remove(w.folder.path(name)); err != nil {
			return err
		}
		w.folder.removeEmpty(name)
	}
	delete(w.seen.files, name)
	w.dirty = true
	return w.log(ctx, false, journal.Record{Op: journal.OpNoFile, File: name})
}
