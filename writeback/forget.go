package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Removed is what Forget took out of Markdown.
type Removed struct {
	Ref
	Text []byte // as it stood in its file; empty for what had already vanished
}

// editWait is how long an editing verb waits for the lock: longer than an
// append takes, shorter than a person notices.
const editWait = 500 * time.Millisecond

// edit runs one editing verb under the lock, after everything pending was
// finished and hand edits were taken up.
func (s *Store) edit(ctx context.Context, verb string, f func(*writer) error) error {
	w, err := s.begin(ctx, verb, min(s.LockWait, editWait))
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

// Forget takes the entry or fact with this full id out of Markdown and leaves
// a tombstone, so that nothing writes it again. Its text stays in the log for
// Restore. Errors match ErrNotFound or ErrLocked.
func (s *Store) Forget(ctx context.Context, id string) (Removed, error) {
	var removed Removed
	err := s.edit(ctx, "forget", func(w *writer) (err error) {
		removed, err = w.forget(ctx, id)
		return err
	})
	if err != nil {
		return removed, fmt.Errorf("forgetting %s: %w", id, err)
	}
	return removed, nil
}

func (w *writer) forget(ctx context.Context, id string) (Removed, error) {
	id = w.owner(id)
	r := record{Op: opForget, ID: id}
	names := w.filesWith(id)
	gone, vanished := w.view.lost[id]
	switch {
	case len(names) > 0:
		_, taken, _ := cut(w.view.files[names[0]], id)
		r.File, r.Title, r.Text = names[0], taken.Title, taken.text
	case vanished && !gone.forgot:
		r.File, r.Title, r.Text = gone.File, gone.Title, gone.text
	default:
		return Removed{}, ErrNotFound
	}
	if err := w.log(ctx, true, r); err != nil {
		return Removed{}, err
	}
	removed := Removed{Ref: Ref{ID: id, Title: r.Title, File: r.File}}
	if len(names) > 0 {
		removed.Text = r.Text
	}
	return removed, w.change(ctx, r)
}

// filesWith names the files known to hold id: first those in which something
// has it as its own, then those where a fact took it in, both sorted. view must
// be full.
func (w *writer) filesWith(id string) []string {
	var own, merged []string
	for name, content := range w.view.files {
		switch {
		case !bytes.Contains(content, []byte(id)):
		case markdown.Parse(content).Owns(id):
			own = append(own, name)
		case holds(content, id):
			merged = append(merged, name)
		}
	}
	slices.Sort(own)
	slices.Sort(merged)
	return append(own, merged...)
}

// change makes a logged edit true in Markdown.
func (w *writer) change(ctx context.Context, r record) error {
	if err := w.load(ctx); err != nil {
		return err
	}
	saved := int64(0)
	for name := range w.view.files {
		changed, err := w.changeIn(ctx, name, r)
		if err != nil {
			return err
		}
		if changed {
			saved = max(saved, w.seen.files[name].mtime)
		}
	}
	if r.Op == opPurge {
		return nil // it is done once the log has forgotten the text: see scrub
	}
	return w.log(ctx, false, record{Op: opDone, Of: r.Op, ID: r.ID, Stamp: saved})
}

// changeIn makes an edit in one file, in what an editor saved last.
func (w *writer) changeIn(ctx context.Context, name string, r record) (changed bool, err error) {
	path := filepath.Join(w.Memory, filepath.FromSlash(name))
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
		text := r.edited(name, content)
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

// saved takes up what an editor saved after all files were looked at. Once the
// file is replaced nothing would tell what that save took out. again says that
// entries were put back, so that the file holds something else now.
func (w *writer) saved(ctx context.Context, name string, content []byte, info fs.FileInfo) (again bool, err error) {
	if bytes.Equal(content, w.view.files[name]) {
		return false, nil
	}
	_, records, err := w.settle(ctx, name, content, info, w.batchFor(name))
	if errors.Is(err, errAnew) {
		return true, nil
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	return true, w.appendAll(ctx, name, records)
}

// edited is what a file holds after the edit; content itself when there is
// nothing to change.
func (r record) edited(name string, content []byte) []byte {
	if r.Op == opPin || r.Op == opUnpin {
		text, _ := markdown.Parse(content).Pin(r.ID, r.Op == opPin)
		return text
	}
	rest, _ := markdown.Parse(content).RemoveAll(func(id string) bool { return id == r.ID })
	if r.Op == opPurge && name == memory.FeedbackFile {
		for _, id := range judgedOf(rest, r.ID) {
			rest, _, _ = cut(rest, id)
		}
	}
	return rest
}

// replaced logs the new contents of a memory file.
func (w *writer) replaced(ctx context.Context, name, path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() == int64(len(content)) {
		w.see(name, stampOf(info, content))
	}
	return w.log(ctx, false, record{Op: opFile, File: name, Text: content})
}
