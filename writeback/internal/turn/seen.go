package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/view"
)

// See records the stamp of a file as seen.
func (t *Turn) See(name string, s seen.Stamp) {
	if t.Seen.Files[name] != s {
		t.Seen.Files[name], t.Dirty = s, true
	}
}

// SeeAfter records the state of a file after a step as seen.
func (t *Turn) SeeAfter(e view.ChangedFile) {
	if e.After == nil {
		delete(t.Seen.Files, e.File)
		t.Dirty = true
		return
	}
	info, err := os.Stat(t.Folder.Path(e.File))
	if err == nil && info.Size() == int64(len(e.After)) {
		t.See(e.File, seen.StampOf(info, e.After))
	}
}

// Replaced logs the new contents of a file that this turn replaced.
func (t *Turn) Replaced(ctx context.Context, name, path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() == int64(len(content)) {
		t.See(name, seen.StampOf(info, content))
	}
	return t.Log(ctx, false, journal.Record{Op: journal.OpFile, File: name, Text: content})
}

// seeFolder records the current memory folder as seen, once all of its files were settled. A copied
// repository has another folder.
func (t *Turn) seeFolder() {
	now, err := seen.FolderID(t.Memory)
	if err != nil || t.Seen.Dir != 0 && !t.Scanned {
		return
	}
	if now != t.Seen.Dir {
		t.Seen.Dir, t.Dirty = now, true
	}
}

// MaxTries bounds how often an append starts over because an editor replaced the file in the
// meantime.
const MaxTries = 50

// ErrReplaced means that a file was replaced at each of MaxTries attempts.
var ErrReplaced = errors.New("another program keeps replacing the file; close it there and try again")
