package gitwatch

import (
	"context"

	"agentflow/gitwatch/internal/git"
)

// compare compares one merged entry with what stands at its path.
func (s *scan) compare(ctx context.Context, e *indexEntry, st fileStat) {
	if st.there && e.mode() != git.ModeGitlink && s.statClean(st, e) {
		if len(s.headOf) == 0 {
			return // as nearly all are
		}
		if _, differs := s.headOf[e.name]; !differs {
			return
		}
	}
	d := dirtyFile{Path: git.Name(e.name), Head: s.headFile(e)}
	switch {
	case e.flagged() && (e.mode() == git.ModeGitlink || st.kind != kindFile && st.kind != kindLink):
		d.Now = e.file() // git was told not to look, and there is nothing to be seen
	case e.mode() == git.ModeGitlink:
		d.Now = s.submodule(ctx, e, st)
	case st.there && s.statClean(st, e):
		d.Now = e.file()
		d.Now.Size, d.Now.MTime, d.Now.disk = st.size, st.mtime.nanos(), true
	case st.there:
		s.content(ctx, d, st, e)
		return
	}
	s.put(d)
}

// headFile is what HEAD holds at the path of an entry.
func (s *scan) headFile(e *indexEntry) file {
	if head, differs := s.headOf[e.name]; differs {
		return head
	}
	return e.file()
}

// statClean says whether a file is as the index recorded it, by stat alone.
// An entry as young as the index itself is never trusted: it may have been
// changed in the same second, after git looked ("racy git").
func (s *scan) statClean(st fileStat, e *indexEntry) bool {
	mtime := e.mtime()
	return uint32(st.size) == e.size() && //nolint:gosec // the index keeps 32 bits
		s.mode(st, e) == e.mode() &&
		uint32(st.mtime.sec) == uint32(mtime.sec) && //nolint:gosec // the same
		(mtime.nsec == 0 || st.mtime.nsec == mtime.nsec) &&
		(!s.set.trustCtime || sameInode(st, e)) &&
		st.mtime.sec < s.written.Unix()
}

// sameInode compares what the index keeps of a file beside size and time: a
// file put in place with an old time still has a new inode or change time.
func sameInode(st fileStat, e *indexEntry) bool {
	none := stamp{}
	return st.ctime == none || e.ctime() == none ||
		uint32(st.ino) == e.inode() && st.ctime == e.ctime() //nolint:gosec // the index keeps 32 bits
}

// mode is git's mode for a file on disk; 0 for what git does not keep
// (folders, pipes, devices). e may be nil.
func (s *scan) mode(st fileStat, e *indexEntry) uint32 {
	var inIndex uint32
	if e != nil {
		inIndex = e.mode()
	}
	switch {
	case st.kind == kindLink:
		return git.ModeLink
	case st.kind != kindFile:
		return 0
	case !s.set.symlinks && inIndex == git.ModeLink:
		return git.ModeLink
	case !s.set.fileMode && git.IsRegular(inIndex):
		return inIndex
	case s.set.fileMode && st.exec:
		return git.ModeExec
	}
	return git.ModeFile
}

func (s *scan) statOnly(st fileStat, e *indexEntry) file {
	f := file{Mode: s.mode(st, e), Size: st.size, MTime: st.mtime.nanos(), disk: true}
	if f.Mode == 0 {
		return file{}
	}
	return f
}
