package gitwatch

import (
	"context"
	"os"

	"agentflow/gitwatch/internal/git"
)

// content reads and hashes a file whose stat does not vouch for it. e is its
// index entry, nil when it has none.
func (s *scan) content(ctx context.Context, d dirtyFile, st fileStat, e *indexEntry) {
	if ctx.Err() != nil {
		return
	}
	d.Now = s.statOnly(st, e)
	if !d.Now.exists() {
		s.put(d)
		return
	}
	path := string(d.Path)
	convert, err := s.conversion(path, d.Now.Mode)
	if err != nil {
		s.problem(path, err)
		return
	}
	raw, acts, err := s.hash(ctx, path, d, st, e, convert)
	switch {
	case os.IsNotExist(err):
		d.Now = file{}
	case err != nil:
		s.problem(path, err)
		return
	}
	d.Now.Hash = raw
	if e != nil && uint32(st.size) != e.size() && git.IsRegular(d.Now.Mode) { //nolint:gosec // the index keeps 32 bits
		s.sized(path, st.size)
	}
	if !acts { // a filter may change even what is as HEAD has it
		s.put(d)
		return
	}
	d.Now.Raw, d.Now.Filtered = raw, convert&convertFilter != 0
	s.mu.Lock()
	s.pending[path] = d
	s.mu.Unlock()
}

// sized notes the size of a file of which the index has another.
func (s *scan) sized(path string, size int64) {
	s.mu.Lock()
	s.sizes = append(s.sizes, diskSize{git.Name(path), size})
	s.mu.Unlock()
}

// conversion says what git may do to a file before it stores it.
func (s *scan) conversion(path string, mode uint32) (conversion, error) {
	if !git.IsRegular(mode) {
		return 0, nil
	}
	return s.attrs.of(path)
}

// hash returns the id of the bytes on disk, empty for a large file that need
// not be read, and whether git would convert them. What is not converted is
// read once in two snapshots.
func (s *scan) hash(ctx context.Context, path string, d dirtyFile, st fileStat, e *indexEntry, convert conversion) (id string, acts bool, err error) {
	known, ok := s.known.files[path]
	switch {
	case convert == 0 && ok && known.stat == st:
		id = known.id
	case d.Now.Mode == git.ModeLink || st.size <= git.MaxRead:
		content, err := s.bytes(path, st)
		if err != nil {
			return "", false, err
		}
		id, acts = s.ids.BlobID(content), convert.acts(content)
		if !acts && id != d.Head.Hash {
			_ = s.before.Keep(id, content) // Close tells of failures
		}
	case e == nil || uint32(st.size) != e.size(): //nolint:gosec // the index keeps 32 bits
		return "", false, nil
	default:
		if id, err = hashLarge(ctx, s.ids, s.full(path), st.size); err != nil {
			return "", false, err
		}
		acts = convert != 0
	}
	if convert == 0 {
		s.learned.file(path, st, id)
	}
	return id, acts, nil
}

// bytes reads a file of at most git.MaxRead bytes, or where a link points to.
func (s *scan) bytes(path string, st fileStat) ([]byte, error) {
	if st.kind == kindLink {
		return git.ReadFile(s.full(path), git.ModeLink, git.MaxRead)
	}
	return s.tree.read(path, st.size)
}

func linkMode(st fileStat) uint32 {
	if st.kind == kindLink {
		return git.ModeLink
	}
	return git.ModeFile
}
