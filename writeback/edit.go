package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// editWait is how long an editing command waits for the lock by default: longer than an append
// takes, shorter than a person notices.
const editWait = 500 * time.Millisecond

// edit runs one editing command under the lock, after it finished everything pending and logged
// hand edits.
func (s *Store) edit(ctx context.Context, command string, f func(*writer) error) error {
	w, err := s.begin(ctx, command, s.EditWait)
	if err != nil {
		return locked(err)
	}
	err = w.scan(ctx)
	if err == nil {
		err = w.load(ctx)
	}
	if err == nil {
		err = w.finish(ctx)
	}
	if err == nil {
		err = f(w)
	}
	return errors.Join(err, w.end(ctx))
}

// change applies a logged edit to Markdown.
func (w *writer) change(ctx context.Context, r journal.Record) error {
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
func (w *writer) changeIn(ctx context.Context, name string, r journal.Record) (changed bool, err error) {
	path := w.path(name)
	for range maxTries {
		content, info, err := read(path)
		if err != nil || info == nil || !bytes.Contains(content, []byte(r.ID)) {
			return false, err
		}
		if err := w.inside(path); err != nil {
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
func (w *writer) saved(ctx context.Context, name string, content []byte, info fs.FileInfo) (again bool, err error) {
	if bytes.Equal(content, w.view.files.get(name)) {
		return false, nil
	}
	_, records, err := w.settle(ctx, name, content, info, w.batchFor(name))
	if errors.Is(err, errReread) {
		return true, nil
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	return true, w.appendAll(ctx, name, records)
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

func (w *writer) replaced(ctx context.Context, name, path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() == int64(len(content)) {
		w.see(name, stampOf(info, content))
	}
	return w.log(ctx, false, journal.Record{Op: journal.OpFile, File: name, Text: content})
}

// Pinned is the result of Pin.
type Pinned struct {
	Ref
	Changed bool // false: it was pinned, or unpinned, already
}

// Pin marks the entry or fact with this full id as pinned, so that it does not age, or removes the
// mark. Errors match ErrNotFound or ErrLocked.
func (s *Store) Pin(ctx context.Context, id string, pinned bool) (Pinned, error) {
	r, command := journal.Record{Op: journal.OpPin, ID: id}, "pin"
	if !pinned {
		r.Op, command = journal.OpUnpin, "unpin"
	}
	var done Pinned
	err := s.edit(ctx, command, func(w *writer) (err error) {
		done, err = w.pin(ctx, r)
		return err
	})
	if err != nil {
		return done, fmt.Errorf("%s %s: %w", command, memory.ShortID(id), err)
	}
	return done, nil
}

func (w *writer) pin(ctx context.Context, r journal.Record) (Pinned, error) {
	r.ID = w.owner(ctx, r.ID)
	names := w.filesWith(ctx, r.ID)
	if len(names) == 0 {
		return Pinned{}, ErrNotFound
	}
	_, taken, _ := cut(w.view.files.get(names[0]), r.ID)
	done := Pinned{Ref: Ref{ID: r.ID, Title: taken.Title, File: names[0]}}
	for _, name := range names {
		if markdown.Parse(w.view.files.get(name)).Pinned(r.ID) != (r.Op == journal.OpPin) {
			done.Changed = true
		}
	}
	if !done.Changed {
		return done, nil
	}
	if err := w.log(ctx, true, r); err != nil {
		return Pinned{}, err
	}
	return done, w.change(ctx, r)
}
