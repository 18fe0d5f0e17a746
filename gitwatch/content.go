package gitwatch

import (
	"context"
	"fmt"
	"os"
	"sort"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// statClean says whether a file is as the index recorded it, by stat alone.
// An entry as young as the index itself is never trusted: it may have been
// changed in the same second, after git looked ("racy git").
func (s *scan) statClean(info os.FileInfo, e *index.Entry) bool {
	mtime := info.ModTime()
	return uint32(info.Size()) == e.Size && //nolint:gosec // the index keeps 32 bits
		s.mode(info, e) == uint32(e.Mode) &&
		mtime.Unix() == e.ModifiedAt.Unix() &&
		(e.ModifiedAt.Nanosecond() == 0 || mtime.Nanosecond() == e.ModifiedAt.Nanosecond()) &&
		(!s.set.trustCtime || sameInode(info, e)) &&
		mtime.Unix() < s.index.written.Unix()
}

// mode is git's mode for a file on disk; 0 for what git does not keep
// (folders, pipes, devices). e may be nil.
func (s *scan) mode(info os.FileInfo, e *index.Entry) uint32 {
	var inIndex uint32
	if e != nil {
		inIndex = uint32(e.Mode)
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return modeLink
	case !info.Mode().IsRegular():
		return 0
	case !s.set.symlinks && inIndex == modeLink:
		return modeLink
	case !s.set.fileMode && isRegular(inIndex):
		return inIndex
	case s.set.fileMode && info.Mode()&0o100 != 0:
		return modeExec
	}
	return modeFile
}

func (s *scan) statOnly(info os.FileInfo, e *index.Entry) file {
	f := file{Mode: s.mode(info, e), Size: info.Size(), MTime: info.ModTime().UnixNano(), disk: true}
	if f.Mode == 0 {
		return file{}
	}
	return f
}

// content reads and hashes a file whose stat does not vouch for it. e is its
// index entry, nil when it has none.
func (s *scan) content(ctx context.Context, d dirtyFile, info os.FileInfo, e *index.Entry) {
	if ctx.Err() != nil {
		return
	}
	d.Now = s.statOnly(info, e)
	if !d.Now.exists() {
		s.put(d)
		return
	}
	path := string(d.Path)
	convert, err := s.attrs.of(path)
	if err != nil {
		s.problem(path, err)
		return
	}
	if !isRegular(d.Now.Mode) {
		convert = 0
	}
	raw, acts, err := s.hash(ctx, path, d, info, e, convert)
	switch {
	case os.IsNotExist(err):
		d.Now = file{}
	case err != nil:
		s.problem(path, err)
		return
	}
	d.Now.Hash = raw
	if !acts || raw != "" && raw == d.Head.Hash {
		s.put(d)
		return
	}
	d.Now.Raw, d.Now.Filtered = raw, convert&convertFilter != 0
	s.mu.Lock()
	s.pending[path] = d
	s.mu.Unlock()
}

// hash returns the id of the bytes on disk, empty for a large file that need
// not be read, and whether git would convert them.
func (s *scan) hash(ctx context.Context, path string, d dirtyFile, info os.FileInfo, e *index.Entry, convert conversion) (string, bool, error) {
	if d.Now.Mode == modeLink || info.Size() <= maxRead {
		content, err := diskContent(s.full(path), linkMode(info), maxRead)
		if err != nil {
			return "", false, err
		}
		return blobID(content), convert.acts(content), nil
	}
	if e == nil || uint32(info.Size()) != e.Size { //nolint:gosec // the index keeps 32 bits
		return "", false, nil
	}
	id, err := hashLarge(ctx, s.full(path), info.Size())
	return id, convert != 0, err
}

func linkMode(info os.FileInfo) uint32 {
	if info.Mode()&os.ModeSymlink != 0 {
		return modeLink
	}
	return modeFile
}

// convertPending asks git for the ids of files that it converts.
func (s *scan) convertPending(ctx context.Context) {
	if len(s.pending) == 0 {
		return
	}
	paths := make([]string, 0, len(s.pending))
	for path := range s.pending {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	ids, err := s.repo.cleanIDs(ctx, paths)
	if err != nil {
		s.problem(paths[0], fmt.Errorf("it is converted by git: %w", err))
		return
	}
	for _, path := range paths {
		d := s.pending[path]
		d.Now.Hash = ids[path]
		if d.Now.Hash == d.Now.Raw && !d.Now.Filtered {
			d.Now.Raw = ""
		}
		s.put(d)
	}
}
