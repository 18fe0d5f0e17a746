package writeback

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"agentflow/writeback/internal/journal"
)

func (t *turn) see(name string, s stamp) {
	if t.seen.files[name] != s {
		t.seen.files[name], t.dirty = s, true
	}
}

// seeAfter records the state of a file after a step as seen.
func (t *turn) seeAfter(e changedFile) {
	if e.After == nil {
		delete(t.seen.files, e.File)
		t.dirty = true
		return
	}
	info, err := os.Stat(t.folder.path(e.File))
	if err == nil && info.Size() == int64(len(e.After)) {
		t.see(e.File, stampOf(info, e.After))
	}
}

func (t *turn) replaced(ctx context.Context, name, path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() == int64(len(content)) {
		t.see(name, stampOf(info, content))
	}
	return t.log(ctx, false, journal.Record{Op: journal.OpFile, File: name, Text: content})
}

// seeFolder records the current memory folder as seen, once all of its files were settled. A copied
// repository has another folder.
func (t *turn) seeFolder() {
	now, err := folderID(t.Memory)
	if err != nil || t.seen.dir != 0 && !t.scanned {
		return
	}
	if now != t.seen.dir {
		t.seen.dir, t.dirty = now, true
	}
}

// maxTries bounds how often an append starts over because an editor replaced the file in the
// meantime.
const maxTries = 50

var errReplaced = errors.New("another program keeps replacing the file; close it there and try again")
