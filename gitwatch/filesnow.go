package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/internal/ctime"
)

// WorkFile is what the work tree holds at a path. Hash is the id of what git
// would store.
type WorkFile struct {
	edits.File
	Raw  string // id of the bytes on disk, in hex; empty for a large file
	Info fs.FileInfo
}

// filesNow reads what the work tree holds at paths now. Each comes with what it
// may be expected to hold, the latest last: whose mode it keeps where the disk
// cannot tell of one. A file over git.MaxRead bytes is only hashed where that
// tells whether it is as expected. The zero WorkFile is a path that is not
// there, or behind a link.
func (w *workTree) filesNow(ctx context.Context, expected map[string][]edits.File) (now map[string]WorkFile, err error) {
	set, err := w.settings()
	if err != nil {
		return nil, err
	}
	dirs := &realDirs{top: w.top, known: map[string]bool{"": true}}
	now = make(map[string]WorkFile, len(expected))
	var regular []string
	for _, path := range slices.Sorted(maps.Keys(expected)) {
		f, err := w.fileNow(dirs, set, path, lastMode(expected[path]))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, git.WithoutPath(err))
		}
		if git.IsRegular(f.Mode) && (f.Raw != "" || f.tellsByHash(expected[path])) {
			regular = append(regular, path)
		}
		now[path] = f
	}
	ids, err := w.cleanIDs(ctx, regular)
	if err != nil {
		return nil, err
	}
	for path, id := range ids {
		f := now[path]
		f.Hash = id
		now[path] = f
	}
	return now, nil
}

func lastMode(files []edits.File) uint32 {
	if len(files) == 0 {
		return 0
	}
	return files[len(files)-1].Mode
}

// tellsByHash says whether only its hash tells whether a large file is one of
// those expected.
func (f WorkFile) tellsByHash(expected []edits.File) bool {
	if slices.ContainsFunc(expected, func(e edits.File) bool { return e.Stands(f.File) }) {
		return false
	}
	return slices.ContainsFunc(expected, func(e edits.File) bool {
		return e.Hash != "" && (e.Size == 0 || e.Size == f.Size)
	})
}

// fileNow reads one path. What the disk cannot tell of a mode is as it
// was before.
func (w *workTree) fileNow(dirs *realDirs, set settings, path string, had uint32) (WorkFile, error) {
	real, err := dirs.real(path)
	if err != nil || !real {
		return WorkFile{}, err
	}
	full := w.full(path)
	info, err := os.Lstat(full)
	if errors.Is(err, os.ErrNotExist) || git.IsNotDir(err) {
		return WorkFile{}, nil
	}
	if err != nil || info.IsDir() {
		return WorkFile{}, err
	}
	f := WorkFile{Info: info}
	f.Size, f.MTime = info.Size(), info.ModTime().UnixNano()
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		f.Mode = git.ModeLink
	case !info.Mode().IsRegular():
		return f, errors.New("it is neither a file nor a link")
	case !set.symlinks && had == git.ModeLink:
		f.Mode = git.ModeLink
	case set.fileMode && info.Mode()&0o100 != 0:
		f.Mode = git.ModeExec
	case !set.fileMode && had == git.ModeExec:
		f.Mode = git.ModeExec
	default:
		f.Mode = git.ModeFile
	}
	on := linkMode(statOf(info))
	if on == git.ModeLink || info.Size() <= git.MaxRead {
		var data []byte
		data, err = git.ReadFile(full, on, git.MaxRead)
		f.Raw = w.ids.BlobID(data)
		f.Hash = f.Raw
	}
	return f, err
}

// onDisk reads what stands at a path of the work tree, tracked or not; the zero
// file where nothing does.
func (w *workTree) onDisk(path string) (file, fileStat, error) {
	set, err := w.settings()
	if err != nil {
		return file{}, fileStat{}, err
	}
	dirs := &realDirs{top: w.top, known: map[string]bool{"": true}}
	f, err := w.fileNow(dirs, set, path, 0)
	if err != nil || !f.Exists() {
		return file{}, fileStat{}, err
	}
	return file{Mode: f.Mode, Hash: f.Raw, Raw: f.Raw, Size: f.Size, MTime: f.MTime, disk: true}, statOf(f.Info), nil
}

// changedAt is the ctime of a path in the work tree or, of a file that is not
// here any more, of the folder in its place or above it. The zero time says
// that none can be had that our clock understands.
func (w *workTree) changedAt(name string, here bool, now time.Time) time.Time {
	if !keepsTimes(w.top) {
		return time.Time{}
	}
	for dir := name; ; dir = path.Dir(dir) {
		info, err := os.Lstat(w.full(dir))
		if err == nil {
			at, ok := ctime.Of(info)
			if !ok || at.After(now.Add(granule)) || here && info.IsDir() {
				return time.Time{}
			}
			return at
		}
		if dir == "." {
			return time.Time{}
		}
	}
}
