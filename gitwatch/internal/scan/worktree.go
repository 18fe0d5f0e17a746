package scan

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
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/ctime"
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
func (w *WorkTree) FilesNow(ctx context.Context, expected map[string][]edits.File) (now map[string]WorkFile, err error) {
	set, err := w.Settings()
	if err != nil {
		return nil, err
	}
	dirs := &realDirs{top: w.Top, checked: map[string]bool{"": true}}
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
func (w *WorkTree) fileNow(dirs *realDirs, set repo.Settings, path string, had uint32) (WorkFile, error) {
	real, err := dirs.parentsAreReal(path)
	if err != nil || !real {
		return WorkFile{}, err
	}
	full := w.Full(path)
	info, err := os.Lstat(full)
	if errors.Is(err, os.ErrNotExist) || git.IsNotDir(err) {
		return WorkFile{}, nil
	}
	if err != nil || info.IsDir() {
		return WorkFile{}, err
	}
	f := WorkFile{Info: info}
	f.Size, f.MTime = info.Size(), info.ModTime().UnixNano()
	st := statOf(info)
	if f.Mode = modeOf(set, st, had); f.Mode == 0 {
		return f, errors.New("it is neither a file nor a link")
	}
	on := uint32(git.ModeFile)
	if st.kind == kindLink {
		on = git.ModeLink
	}
	if on == git.ModeLink || info.Size() <= git.MaxRead {
		var data []byte
		data, err = git.ReadFile(full, on, git.MaxRead)
		f.Raw = w.IDs.BlobID(data)
		f.Hash = f.Raw
	}
	return f, err
}

// OnDisk reads what stands at a path of the work tree, tracked or not; the zero
// file where nothing does.
func (w *WorkTree) OnDisk(path string) (objects.File, Stat, error) {
	set, err := w.Settings()
	if err != nil {
		return objects.File{}, Stat{}, err
	}
	dirs := &realDirs{top: w.Top, checked: map[string]bool{"": true}}
	f, err := w.fileNow(dirs, set, path, 0)
	if err != nil || !f.Exists() {
		return objects.File{}, Stat{}, err
	}
	return objects.File{Mode: f.Mode, Hash: f.Raw, Raw: f.Raw, Size: f.Size, MTime: f.MTime, OnDisk: true}, statOf(f.Info), nil
}

// ChangedAt is the ctime of a path in the work tree or, of a file that is not
// here any more, of the folder in its place or above it. The zero time says
// that none can be had that our clock understands.
func (w *WorkTree) ChangedAt(name string, here bool, now time.Time) time.Time {
	if !keepsTimes(w.Top) {
		return time.Time{}
	}
	for dir := name; ; dir = path.Dir(dir) {
		info, err := os.Lstat(w.Full(dir))
		if err == nil {
			at, ok := ctime.Of(info)
			if !ok || at.After(now.Add(clockGranule)) || here && info.IsDir() {
				return time.Time{}
			}
			return at
		}
		if dir == "." {
			return time.Time{}
		}
	}
}

// submodule is what a gitlink entry holds: the commit its repository has
// checked out. One that is not there, or cannot be resolved cheaply, holds
// what the index says.
func (s *scan) submodule(ctx context.Context, e *gitindex.Entry, st Stat) objects.File {
	f := e.File()
	switch {
	case !st.there:
		return objects.File{}
	case st.kind != kindFolder:
		return s.statOnly(st, 0)
	}
	f.Hash = s.submoduleHead(ctx, e.Name, f.Hash)
	return f
}

// submoduleHead is the commit that the submodule at path has checked out, or
// the one given where it cannot be told.
func (w *WorkTree) submoduleHead(ctx context.Context, path, otherwise string) string {
	sub, err := repo.Find(ctx, w.Full(path))
	if err != nil {
		return otherwise
	}
	s := objects.OpenStore(ctx, sub)
	defer s.Close()
	if _, head, err := s.Head(); err == nil && head != "" {
		return head.String()
	}
	return otherwise
}

// LeftSubmodule is the submodule that stands at a path all the same when what
// names it no longer does: git leaves its folder where it is. Nothing for
// another file than a submodule.
func (w *WorkTree) LeftSubmodule(ctx context.Context, path string, named objects.File) objects.File {
	if named.Mode != git.ModeGitlink {
		return objects.File{}
	}
	head := w.submoduleHead(ctx, path, "")
	if head == "" {
		return objects.File{}
	}
	return objects.File{Mode: git.ModeGitlink, Hash: head}
}
