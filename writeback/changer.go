package writeback

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agentflow/memory"
)

// changer makes changes of many files, completely or not at all, and takes them back.
type changer struct{ *turn }

func (w changer) applyChange(ctx context.Context, c Change) error {
	if err := w.admissible(c.Edits); err != nil {
		return err
	}
	if err := w.view.mayWrite(c.By, c.Edits); err != nil {
		return err
	}
	r, err := w.changeRecord(ctx, c)
	if err != nil {
		return err
	}
	if err := w.log(ctx, true, r); err != nil {
		return err
	}
	made, edited, err := w.makeChange(ctx, r)
	if err == nil && !made {
		err = fmt.Errorf("%w: %s", ErrChanged, edited)
	}
	if err == nil && c.Kept != nil && w.archive.keeps(r.ID) {
		*c.Kept = r.ID
	}
	return err
}

// admissible checks that the edits name memory files and match their contents.
func (w changer) admissible(edits []memory.FileEdit) error {
	named := map[string]bool{}
	for _, e := range edits {
		local := filepath.FromSlash(e.File)
		if !filepath.IsLocal(local) || !strings.HasSuffix(e.File, ".md") || strings.HasPrefix(filepath.Base(local), ".") || named[e.File] {
			return fmt.Errorf("%q cannot be the name of a memory file, or stands twice", e.File)
		}
		named[e.File] = true
		if w.Untrusted(e.File) {
			return fmt.Errorf("%s cannot be changed: %w", e.File, ErrUntrusted)
		}
		if err := w.folder.linkless(e.File); err != nil {
			return err
		}
		if err := w.folder.inside(w.folder.path(e.File)); err != nil {
			return err
		}
		if err := w.folder.readable(e.File); err != nil {
			return err
		}
		if now, there := w.view.files.find(e.File); there != (e.Before != nil) || !bytes.Equal(now, e.Before) {
			return fmt.Errorf("%w: %s", ErrChanged, e.File)
		}
	}
	return nil
}

// resolveChanges finishes the changes that were interrupted, so that half of one is not mistaken
// for a hand edit.
func (w changer) resolveChanges(ctx context.Context) error {
	if w.view.firstChange() < 0 {
		return nil
	}
	if err := w.load(ctx); err != nil {
		return err
	}
	for at := w.view.firstChange(); at >= 0; at = w.view.firstChange() {
		r := w.view.pending[at].Record
		made, edited, err := w.makeChange(ctx, r)
		if err != nil && w.view.find(r.Op, r.ID) >= 0 {
			return fmt.Errorf("finishing a change of memory that was interrupted (%s): %w", r.Title, err)
		}
		if err != nil {
			w.degrade(err.Error())
		}
		w.report.Changes = append(w.report.Changes, Interrupted{Title: r.Title, Made: made, Edited: edited})
	}
	return nil
}

// planUndo plans to take back the kept change with this id.
func (w changer) planUndo(id string) (UndoPlan, error) {
	plan, err := planUndo(w.view, w.archive, id)
	if err != nil {
		return UndoPlan{}, err
	}
	return plan, w.admissible(plan.Edits)
}
