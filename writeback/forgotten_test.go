package writeback

import (
	"context"
	"fmt"
	"io/fs"

	"agentflow/writeback/internal/journal"
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
	id = w.owner(ctx, id)
	r := journal.Record{Op: journal.OpForget, ID: id}
	names := w.filesWith(ctx, id)
	gone, vanished := w.view.lost[id]
	switch {
	case len(names) > 0:
		_, taken, _ := cut(w.view.files.get(names[0]), id)
		r.File, r.Title, r.Text = names[0], taken.Title, taken.text
	case vanished && !gone.forgotten:
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
	return removed, w.amender.change(ctx, r)
}

// list lists a folder where nothing came with a repository.
func list(dir string) (map[string]fs.FileInfo, error) {
	return Folder{&Place{Options: Options{Memory: dir, Untrusted: func(string) bool { return false }}}}.list()
}
