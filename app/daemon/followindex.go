package daemon

import (
	"context"
	"os"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/internal/indexpool"
)

// indexWatch detects that the content of the index changed.
type indexWatch struct {
	files   [2]os.FileInfo // of the index and of its log, at the last look
	edition string         // empty while there is no index
}

// look opens the index if its files have changed.
func (w *indexWatch) look(ctx context.Context, m *app.Memory) []api.Event {
	place, _, err := m.Silent().Place()
	if err != nil {
		return nil // the same as no index; the watch reports why
	}
	var now [2]os.FileInfo
	for i, name := range []string{place.Index(), place.Index() + "-wal"} {
		now[i], _ = os.Stat(name)
	}
	if sameFile(now[0], w.files[0]) && sameFile(now[1], w.files[1]) {
		return nil
	}
	edition, before := "", w.edition
	if now[0] != nil {
		if edition, err = indexEdition(ctx, m); err != nil {
			return nil // another process is making it; the next look reports it
		}
	}
	w.files, w.edition = now, edition
	if edition == before {
		return nil
	}
	return []api.Event{{Kind: api.Synced, Edition: edition}}
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// indexEdition returns an identifier of the index's content.
func indexEdition(ctx context.Context, m *app.Memory) (name string, err error) {
	s, err := m.Silent().OpenExisting(ctx)
	if err != nil {
		return "", err
	}
	s.Patient = true
	_, err = indexes.With(ctx, s, func(db *indexpool.Index) error {
		name, err = db.Edition(ctx)
		return err
	})
	return name, err
}
