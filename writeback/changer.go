package writeback

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agentflow/memory"
	"agentflow/writeback/internal/turn"
	"agentflow/writeback/internal/undo"
)

// changer makes changes of many files, completely or not at all, and takes them back.
type changer struct{ *turn.Turn }

func (w changer) applyChange(ctx context.Context, c Change) error {
	if err := w.admissible(c.Edits); err != nil {
		return err
	}
	if err := w.View.MayWrite(c.By, c.Edits); err != nil {
		return err
	}
	r, err := w.changeRecord(ctx, c)
	if err != nil {
		return err
	}
	if err := w.Log(ctx, true, r); err != nil {
		return err
	}
	made, edited, err := w.makeChange(ctx, r)
	if err == nil && !made {
		err = fmt.Errorf("%w: %s", ErrChanged, edited)
	}
	if err == nil && c.Kept != nil && w.Archive.Keeps(r.ID) {
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
		if err := w.Folder.Linkless(e.File); err != nil {
			return err
		}
		if err := w.Folder.Inside(w.Folder.Path(e.File)); err != nil {
			return err
		}
		if err := w.Folder.Readable(e.File); err != nil {
			return err
		}
		if now, there := w.View.Files.Find(e.File); there != (e.Before != nil) || !bytes.Equal(now, e.Before) {
			return fmt.Errorf("%w: %s", ErrChanged, e.File)
		}
	}
	return nil
}

// resolveChanges finishes the changes that were interrupted, so that half of one is not mistaken
// for a hand edit.
func (w changer) resolveChanges(ctx context.Context) error {
	if w.View.FirstChange() < 0 {
		return nil
	}
	if err := w.Load(ctx); err != nil {
		return err
	}
	for at := w.View.FirstChange(); at >= 0; at = w.View.FirstChange() {
		r := w.View.Pending[at].Record
		made, edited, err := w.makeChange(ctx, r)
		if err != nil && w.View.Find(r.Op, r.ID) >= 0 {
			return fmt.Errorf("finishing a change of memory that was interrupted (%s): %w", r.Title, err)
		}
		if err != nil {
			w.Degrade(err.Error())
		}
		w.Report.Changes = append(w.Report.Changes, Interrupted{Title: r.Title, Made: made, Edited: edited})
	}
	return nil
}

// planUndo plans to take back the kept change with this id.
func (w changer) planUndo(id string) (UndoPlan, error) {
	plan, err := undo.PlanFor(w.View, w.Archive, id)
	if err != nil {
		return UndoPlan{}, err
	}
	return plan, w.admissible(plan.Edits)
}
