package scan

import (
	"cmp"
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
	"agentflow/internal/safefile"
)

// WorkFile is the file in the work tree at a path. Its Hash is that of the contents that git would
// store.
type WorkFile struct {
	edits.File
	Raw  string // id of the bytes on disk, in hex; empty for a large file
	Info fs.FileInfo
}

// FilesNow is Repo.FilesNow of package gitwatch.
func (w *WorkTree) FilesNow(ctx context.Context, expected map[string][]edits.File) (now map[string]WorkFile, err error) {
	set, err := w.Settings()
	if err != nil {
		return nil, err
	}
	dirs := newRealDirs(w.Top)
	now = make(map[string]WorkFile, len(expected))
	var regular []string
	for _, path := range slices.Sorted(maps.Keys(expected)) {
		var had uint32
		if files := expected[path]; len(files) > 0 {
			had = files[len(files)-1].Mode
		}
		f, err := w.fileNow(dirs, set, path, had)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, git.WithoutPath(err))
		}
		if git.IsRegular(f.Mode) && (f.Raw != "" || f.tellsByHash(expected[path])) {
			regular = append(regular, path)
		}
		now[path] = f
	}
	ids, err := w.cleanIDs(ctx, regular)
	for path, id := range ids {
		f := now[path]
		f.Hash = id
		now[path] = f
	}
	return now, err
}

// tellsByHash reports whether only the hash shows whether a large file is one of those expected.
func (f WorkFile) tellsByHash(expected []edits.File) bool {
	stands := func(e edits.File) bool { return e.Stands(f.File) }
	hashed := func(e edits.File) bool { return e.Hash != "" && (e.Size == 0 || e.Size == f.Size) }
	return !slices.ContainsFunc(expected, stands) && slices.ContainsFunc(expected, hashed)
}

// fileNow reads one path. had is its earlier mode, which counts if the file system does not show
// the mode.
func (w *WorkTree) fileNow(dirs *realDirs, set repo.Settings, path string, had uint32) (WorkFile, error) {
	if real, err := dirs.parentsAreReal(path); err != nil || !real {
		return WorkFile{}, err
	}
	full := w.Full(path)
	info, err := os.Lstat(full)
	switch {
	case safefile.IsAbsent(err):
		return WorkFile{}, nil
	case err != nil || info.IsDir():
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

// OnDisk reads the file at a path of the work tree, tracked or not. It returns the zero File if
// there is none.
func (w *WorkTree) OnDisk(path string) (objects.File, Stat, error) {
	set, err := w.Settings()
	if err != nil {
		return objects.File{}, Stat{}, err
	}
	f, err := w.fileNow(newRealDirs(w.Top), set, path, 0)
	if err != nil || !f.Exists() {
		return objects.File{}, Stat{}, err
	}
	return objects.File{Mode: f.Mode, Hash: f.Raw, Raw: f.Raw, Size: f.Size, MTime: f.MTime, OnDisk: true}, statOf(f.Info), nil
}

// ChangedAt returns the ctime of a path in the work tree or, for a file that is gone, of the folder
// in its place or above it. It returns the zero time if there is no ctime, or none by our clock.
func (w *WorkTree) ChangedAt(name string, exists bool, now time.Time) time.Time {
	if !keepsTimes(w.Top) {
		return time.Time{}
	}
	info, err := os.Lstat(w.Full(name))
	for err != nil && name != "." {
		name = path.Dir(name)
		info, err = os.Lstat(w.Full(name))
	}
	if err != nil || exists && info.IsDir() {
		return time.Time{}
	}
	at, ok := ctime.Of(info)
	if !ok || at.After(now.Add(clockGranule)) {
		return time.Time{}
	}
	return at
}

// submodule returns the commit that a gitlink's repository has checked out or, if that is unknown,
// the commit in the index.
func (s *scan) submodule(ctx context.Context, e *gitindex.Entry, st Stat) objects.File {
	switch {
	case !st.there:
		return objects.File{}
	case st.kind != kindFolder:
		return s.statOnly(st, 0)
	}
	f := e.File()
	f.Hash = cmp.Or(s.WorkTree.submoduleHead(ctx, e.Name), f.Hash)
	return f
}

// submoduleHead returns the commit that the submodule at path has checked out, or "" if it is
// unknown.
func (w *WorkTree) submoduleHead(ctx context.Context, path string) string {
	sub, err := repo.Find(ctx, w.Full(path))
	if err != nil {
		return ""
	}
	s := objects.OpenStore(ctx, sub)
	defer s.Close()
	_, head, _ := s.Head()
	return head.String()
}

// LeftSubmodule returns the submodule that is still at a path where it is no longer tracked,
// because git leaves its folder in place. It returns the zero File if named is not a submodule.
func (w *WorkTree) LeftSubmodule(ctx context.Context, path string, named objects.File) objects.File {
	if named.Mode != git.ModeGitlink {
		return objects.File{}
	}
	if head := w.submoduleHead(ctx, path); head != "" {
		return objects.File{Mode: git.ModeGitlink, Hash: head}
	}
	return objects.File{}
}
