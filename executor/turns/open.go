package turns

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Sessions that may not be over have a mark, an empty file in a folder next to
// theirs: thousands of others are not looked at then.
const openMarks = ".open"

// sweptMark is a file: its time says when all sessions were looked at last.
const sweptMark = ".swept"

// sweepEvery is how often all sessions are looked at.
const sweepEvery = 24 * time.Hour

func (f Folder) mark() string {
	return filepath.Join(filepath.Dir(f.dir), openMarks, filepath.Base(f.dir))
}

// MarkOpen notes that the session is not over. It comes before anything else is
// noted about it.
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

// MarkOver takes the mark away, once the state says that the session is over.
// The lock of the session is held.
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

// folders are the folders below dir of the names in a folder.
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

// Sweep looks, once a day, at all sessions below dir: it removes those that were
// over before a time, and marks the others by their state. A mark that was lost
// is made again there.
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
		return nil // nothing is known that could be finished
	case st.Ended.IsZero():
		return f.MarkOpen()
	case st.Ended.Before(before):
		return f.Remove()
	}
	return nil
}
