package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// MaxFile bounds a memory file, in bytes, because it is read whole.
const MaxFile = 64 << 20

// Read returns a file's contents and the stat that belongs to them. Both are nil if the file does
// not exist.
func Read(path string) ([]byte, fs.FileInfo, error) {
	f, err := safefile.Open(path, safefile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > MaxFile {
		return nil, nil, fmt.Errorf("reading %s: %w (over %d MB)", path, safefile.ErrTooLarge, MaxFile>>20)
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != int64(len(content)) {
		return nil, nil, fmt.Errorf("%s changed while it was read", path)
	}
	return content, info, err
}

// Write appends tail and syncs. It reports whether the file that is at path afterwards is the one
// it wrote to, with the expected size.
func (d Folder) Write(path string, before fs.FileInfo, tail []byte, size int64) (ok bool, info fs.FileInfo, err error) {
	flag := os.O_RDWR | os.O_APPEND
	if before == nil {
		flag |= os.O_CREATE | os.O_EXCL
		if err := d.Sys.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return false, nil, err
		}
	}
	f, err := d.Sys.OpenFile(path, flag, 0o600)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false, nil, nil // it was removed or created a moment ago
	}
	if err != nil {
		return false, nil, err
	}
	defer f.Close()
	if err := put(f, tail, size); err != nil {
		return false, nil, err
	}
	if before == nil {
		if err := d.Sys.SyncDir(filepath.Dir(path)); err != nil {
			return false, nil, err
		}
	}
	if info, err = f.Stat(); err != nil {
		return false, nil, err
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(info, now) && info.Size() == size, info, nil
}

// put writes and syncs. If a full disk let only a part through, put removes that part, provided
// that nothing follows it. Otherwise recovery completes it.
func put(f journal.File, tail []byte, size int64) error {
	n, err := f.Write(tail)
	if err == nil {
		return f.Sync()
	}
	if info, e := f.Stat(); n > 0 && e == nil && info.Size() == size-int64(len(tail)-n) {
		err = errors.Join(err, f.Truncate(size-int64(len(tail))))
	}
	return err
}

// Step changes one file from before to after. If the file holds neither, step returns its name in
// edited.
func (d Folder) Step(name string, before, after []byte) (edited string, err error) {
	at := d.Path(name)
	content, info, err := Read(at)
	if IsOther(err) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	there := info != nil
	switch {
	case there == (after != nil) && bytes.Equal(content, after):
		return "", nil
	case there != (before != nil) || !bytes.Equal(content, before):
		return name, nil
	}
	if err := d.Linkless(name); err != nil {
		return "", err
	}
	made := true
	switch {
	case after == nil:
		if err = d.Sys.Remove(at); err == nil {
			d.RemoveEmpty(name)
		}
	case before == nil:
		if err = d.Sys.MkdirAll(filepath.Dir(at), 0o700); err == nil {
			err = atomicfile.WriteTo(d.Sys, at, after, 0o600)
		}
	default:
		made, err = atomicfile.ReplaceIf(d.Sys, at, before, after)
	}
	if err == nil && !made {
		return name, nil
	}
	return "", err
}

// RemoveEmpty removes the folders below memory.NotesFolder that become empty when the file with
// this name is removed. There, a folder exists only as long as it holds a file.
func (d Folder) RemoveEmpty(name string) {
	for dir := path.Dir(name); memory.InNotes(dir); dir = path.Dir(dir) {
		if d.Sys.Remove(d.Path(dir)) != nil {
			return // something else is in it
		}
	}
}
