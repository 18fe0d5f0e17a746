package writeback

import (
	"context"
	"fmt"
	"io/fs"

	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/options"
)

// Removed is what Forget took out of Markdown.
type Removed struct {
	Ref
	Text []byte // as it stood in its file; empty when it had vanished already
}

// Forget forgets one entry or fact by a separate record. Logs of earlier versions hold such
// records, and a stale save still leads to one. The program itself forgets by a Change.
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
	id = w.Owner(ctx, id)
	r := journal.Record{Op: journal.OpForget, ID: id}
	names := w.FilesWith(ctx, id)
	gone, vanished := w.View.Lost[id]
	switch {
	case len(names) > 0:
		_, taken, _ := items.Cut(w.View.Files.Get(names[0]), id)
		r.File, r.Title, r.Text = names[0], taken.Title, taken.Text
	case vanished && !gone.Forgotten:
		r.File, r.Title, r.Text = gone.File, gone.Title, gone.Text
	default:
		return Removed{}, ErrNotFound
	}
	if err := w.Log(ctx, true, r); err != nil {
		return Removed{}, err
	}
	removed := Removed{Ref: Ref{ID: id, Title: r.Title, File: r.File}}
	if len(names) > 0 {
		removed.Text = r.Text
	}
	return removed, w.amender.change(ctx, r)
}

// list lists a folder where nothing came with a repository.
func list(dir string) (map[string]fs.FileInfo, error) {
	return folder.Folder{Place: &options.Place{Options: Options{Memory: dir, Untrusted: func(string) bool { return false }}}}.List()
}
