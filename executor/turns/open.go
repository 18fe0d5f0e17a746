package turns

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// openMarks holds, next to the folders of sessions, a mark, an empty file, for each
// session that may not be over, so that thousands of others need not be read.
const openMarks = ".open"

// sweptMark holds the time at which all sessions were last checked.
const sweptMark = ".swept"

// sweepEvery spaces the checks of all sessions.
const sweepEvery = 24 * time.Hour

func (f Folder) mark() string {
	return filepath.Join(filepath.Dir(f.dir), openMarks, filepath.Base(f.dir))
}

// MarkOpen notes that the session is not over. It must be called before any other note about
// the session.
func (f Folder) MarkOpen() error {
	mark := f.mark()
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(mark), 0o700)
	if err == nil {
		err = os.WriteFile(mark, nil, 0o600)
	}
	return err
}

// MarkOver removes the mark, once the state says that the session is over. The caller holds the
// lock of the session.
func (f Folder) MarkOver() error {
	if err := os.Remove(f.mark()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Open lists the sessions below dir that may not be over.
func Open(dir string) []Folder {
	return folders(dir, filepath.Join(dir, openMarks))
}

// All lists the folders of sessions below dir.
func All(dir string) []Folder { return folders(dir, dir) }

// folders returns the folders below dir with the names of the entries in a folder.
func folders(dir, names string) (list []Folder) {
	entries, err := os.ReadDir(names)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			list = append(list, Folder{filepath.Join(dir, e.Name())})
		}
	}
	return list
}

// Sweep checks all sessions below dir, once a day. It removes those that ended before a time,
// and marks the others by their state, which also restores lost marks.
func Sweep(dir string, now, before time.Time) error {
	swept := filepath.Join(dir, sweptMark)
	if info, err := os.Lstat(swept); err == nil && now.Sub(info.ModTime()).Abs() < sweepEvery {
		return nil
	}
	list := All(dir)
	if len(list) == 0 {
		return nil
	}
	err := os.WriteFile(swept, nil, 0o600)
	if err == nil {
		err = os.Chtimes(swept, now, now)
	}
	for _, f := range list {
		err = errors.Join(err, f.sweep(before))
	}
	return err
}

func (f Folder) sweep(before time.Time) error {
	st, err := f.Known()
	switch {
	case err != nil:
		return nil // there is no state, so nothing could be finished
	case st.Ended.IsZero():
		return f.MarkOpen()
	case st.Ended.Before(before):
		return f.Remove()
	}
	return nil
}
