package scan

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/internal/rules"
	"agentflow/internal/safefile"
)

// compare compares one merged entry with the work tree.
func (s *scan) compare(ctx context.Context, e *gitindex.Entry, st Stat) {
	if st.there && e.Mode() != git.ModeGitlink && s.statClean(st, e) {
		if len(s.headOf) == 0 {
			return // as nearly all are
		}
		if _, differs := s.headOf[e.Name]; !differs {
			return
		}
	}
	d := objects.DirtyFile{Path: git.Name(e.Name), Head: s.headFile(e)}
	switch {
	case e.Flagged() && (e.Mode() == git.ModeGitlink || st.kind != kindFile && st.kind != kindLink):
		d.Now = e.File() // git must not look, and there is no file to compare
	case e.Mode() == git.ModeGitlink:
		d.Now = s.submodule(ctx, e, st)
	case st.there && s.statClean(st, e):
		d.Now = e.File()
		d.Now.Size, d.Now.MTime, d.Now.OnDisk = st.size, st.mtime.Nanos(), true
	case st.there:
		s.compareContent(ctx, d, st, e)
		return
	}
	s.addDirty(d)
}

func (s *scan) headFile(e *gitindex.Entry) objects.File {
	if head, differs := s.headOf[e.Name]; differs {
		return head
	}
	return e.File()
}

// statClean reports whether stat shows that a file is as the index recorded it. An entry as young
// as the index itself is never trusted: the file may have been changed in the same second, after
// git looked ("racy git").
func (s *scan) statClean(st Stat, e *gitindex.Entry) bool {
	mtime := e.Mtime()
	return uint32(st.size) == e.Size() && //nolint:gosec // the index keeps 32 bits
		modeOf(s.set, st, e.Mode()) == e.Mode() &&
		uint32(st.mtime.Sec) == uint32(mtime.Sec) && //nolint:gosec // the same
		(mtime.Nsec == 0 || st.mtime.Nsec == mtime.Nsec) &&
		(!s.set.TrustCtime || sameInode(st, e)) &&
		st.mtime.Sec < s.written.Unix()
}

// sameInode compares inode and ctime, because a file that was put in place with an old mtime has
// new ones.
func sameInode(st Stat, e *gitindex.Entry) bool {
	none := gitindex.Stamp{}
	return st.ctime == none || e.Ctime() == none ||
		uint32(st.ino) == e.Inode() && st.ctime == e.Ctime() //nolint:gosec // the index keeps 32 bits
}

// modeOf returns git's mode for a file on disk, or 0 for things that git does not keep (folders,
// pipes, devices). If the disk cannot distinguish links and executable files from others, the mode
// that the file had before decides.
func modeOf(set repo.Settings, st Stat, had uint32) uint32 {
	switch {
	case st.kind == kindLink, st.kind == kindFile && !set.Symlinks && had == git.ModeLink:
		return git.ModeLink
	case st.kind != kindFile:
		return 0
	case !set.FileMode && git.IsRegular(had):
		return had
	case set.FileMode && st.exec:
		return git.ModeExec
	}
	return git.ModeFile
}

func (s *scan) statOnly(st Stat, had uint32) objects.File {
	if mode := modeOf(s.set, st, had); mode != 0 {
		return objects.File{Mode: mode, Size: st.size, MTime: st.mtime.Nanos(), OnDisk: true}
	}
	return objects.File{}
}

// compareContent reads and hashes a file that stat does not prove unchanged. e is its index entry,
// or nil if it has none.
func (s *scan) compareContent(ctx context.Context, d objects.DirtyFile, st Stat, e *gitindex.Entry) {
	if ctx.Err() != nil {
		return
	}
	s.reading <- struct{}{}
	defer func() { <-s.reading }()
	var had uint32
	if e != nil {
		had = e.Mode()
	}
	d.Now = s.statOnly(st, had)
	if !d.Now.Exists() {
		s.addDirty(d)
		return
	}
	path := string(d.Path)
	var convert rules.Conversion
	if git.IsRegular(d.Now.Mode) {
		var err error
		if convert, err = s.attrs.Of(path); err != nil {
			s.addUnread(path, err)
			return
		}
	}
	raw, acts, err := s.hash(ctx, path, d, st, e, convert)
	switch {
	case os.IsNotExist(err):
		d.Now = objects.File{}
	case err != nil:
		s.addUnread(path, err)
		return
	}
	d.Now.Hash = raw
	if e != nil && uint32(st.size) != e.Size() && git.IsRegular(d.Now.Mode) { //nolint:gosec // the index keeps 32 bits
		s.locked(func() { s.sizes = append(s.sizes, DiskSize{d.Path, st.size}) })
	}
	if !acts { // a filter may change even a file that is as in HEAD
		s.addDirty(d)
		return
	}
	d.Now.Raw, d.Now.Filtered = raw, convert&rules.Filter != 0
	s.locked(func() { s.pending[path] = d })
}

// hash returns the id of the bytes on disk, or "" for a large file that need not be read, and
// whether git would convert them. A file that git does not convert is read only once in two
// snapshots.
func (s *scan) hash(ctx context.Context, path string, d objects.DirtyFile, st Stat, e *gitindex.Entry, convert rules.Conversion) (id string, acts bool, err error) {
	known, ok := s.remembered.files[path]
	switch {
	case convert == 0 && ok && known.stat == st:
		id = known.id
	case d.Now.Mode == git.ModeLink || st.size <= git.MaxRead:
		var content []byte
		if st.kind == kindLink {
			content, err = git.ReadFile(s.WorkTree.Full(path), git.ModeLink, git.MaxRead)
		} else {
			content, err = s.tree.read(path, st.size)
		}
		if err != nil {
			return "", false, err
		}
		id, acts = s.WorkTree.IDs.BlobID(content), convert.Changes(content)
		if !acts && id != d.Head.Hash {
			_ = s.before.Keep(id, content) // Close reports failures
		}
	case e == nil || uint32(st.size) != e.Size(): //nolint:gosec // the index keeps 32 bits
		return "", false, nil
	default:
		if id, err = hashLarge(ctx, s.WorkTree.IDs, s.WorkTree.Full(path), st.size); err != nil {
			return "", false, err
		}
		acts = convert != 0
	}
	if convert == 0 {
		s.newlySeen.add(st, func(r *remembered) { r.files[path] = rememberedFile{st, id} })
	}
	return id, acts, nil
}

// hashLarge hashes a file without holding it in memory. size is its length. It ends early if ctx
// does.
func hashLarge(ctx context.Context, ids git.Algorithm, path string, size int64) (string, error) {
	f, err := safefile.Open(path, safefile.NoLink)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := ids.Object("blob", size)
	n, err := io.Copy(h, contextReader{ctx, f})
	if err != nil {
		return "", err
	}
	if n != size {
		return "", fmt.Errorf("%s changed while it was read", path)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
