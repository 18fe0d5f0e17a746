package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// WorkFile is what the work tree holds at a path. Hash is the id of what git
// would store.
type WorkFile struct {
	edits.File
	Raw  string // id of the bytes on disk, in hex; empty for a large file
	Info fs.FileInfo
}

// FilesNow reads what the work tree holds at paths now. Each comes with what it
// may be expected to hold, the latest last: whose mode it keeps where the disk
// cannot tell of one. A file over git.MaxRead bytes is only hashed where that
// tells whether it is as expected. The zero WorkFile is a path that is not
// there, or behind a link.
func (r *Repo) FilesNow(ctx context.Context, expected map[string][]edits.File) (now map[string]WorkFile, err error) {
	defer git.Caught(&err)
	set, err := r.settings()
	if err != nil {
		return nil, err
	}
	dirs := &realDirs{root: r.root, known: map[string]bool{"": true}}
	now = make(map[string]WorkFile, len(expected))
	var regular []string
	for _, path := range slices.Sorted(maps.Keys(expected)) {
		w, err := r.fileNow(dirs, set, path, lastMode(expected[path]))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, git.WithoutPath(err))
		}
		if git.IsRegular(w.Mode) && (w.Raw != "" || w.tellsByHash(expected[path])) {
			regular = append(regular, path)
		}
		now[path] = w
	}
	ids, err := r.cleanIDs(ctx, regular)
	if err != nil {
		return nil, err
	}
	for path, id := range ids {
		w := now[path]
		w.Hash = id
		now[path] = w
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
func (w WorkFile) tellsByHash(expected []edits.File) bool {
	if slices.ContainsFunc(expected, func(f edits.File) bool { return f.Stands(w.File) }) {
		return false
	}
	return slices.ContainsFunc(expected, func(f edits.File) bool {
		return f.Hash != "" && (f.Size == 0 || f.Size == w.Size)
	})
}

// fileNow reads one path. What the disk cannot tell of a mode is as it
// was before.
func (r *Repo) fileNow(dirs *realDirs, set settings, path string, had uint32) (WorkFile, error) {
	real, err := dirs.real(path)
	if err != nil || !real {
		return WorkFile{}, err
	}
	full := filepath.Join(r.root, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if errors.Is(err, os.ErrNotExist) || git.IsNotDir(err) {
		return WorkFile{}, nil
	}
	if err != nil || info.IsDir() {
		return WorkFile{}, err
	}
	w := WorkFile{Info: info}
	w.Size, w.MTime = info.Size(), info.ModTime().UnixNano()
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		w.Mode = git.ModeLink
	case !info.Mode().IsRegular():
		return w, errors.New("it is neither a file nor a link")
	case !set.symlinks && had == git.ModeLink:
		w.Mode = git.ModeLink
	case set.fileMode && info.Mode()&0o100 != 0:
		w.Mode = git.ModeExec
	case !set.fileMode && had == git.ModeExec:
		w.Mode = git.ModeExec
	default:
		w.Mode = git.ModeFile
	}
	on := linkMode(statOf(info))
	if on == git.ModeLink || info.Size() <= git.MaxRead {
		var data []byte
		data, err = git.ReadFile(full, on, git.MaxRead)
		w.Raw = r.BlobID(data)
		w.Hash = w.Raw
	}
	return w, err
}
