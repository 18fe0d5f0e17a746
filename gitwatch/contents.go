package gitwatch

import (
	"bytes"
	"errors"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// contents finds the bytes of a file wherever they are: in the object store,
// among those kept at the start, or in the work tree.
type contents struct {
	repo    *Repo
	objects *objects
	before  *edits.Archive
	unread  map[string]bool // paths of which git should have the contents, and has not
}

// get returns the bytes of the file at path, and whether they could be had:
// not over git.MaxRead, nor when they have gone.
func (c *contents) get(path string, f file) ([]byte, bool) {
	switch {
	case !f.exists():
		return nil, true
	case f.Mode == git.ModeGitlink:
		return []byte("Subproject commit " + f.Hash + "\n"), true // as git diff shows it
	}
	missing := false
	if f.Hash != "" {
		b, err := c.objects.blob(git.KnownID(f.Hash))
		if err == nil {
			return b, true
		}
		missing = f.MTime == 0 && !errors.Is(err, git.ErrTooLarge) // it is from a tree
	}
	id := f.kept()
	if id == "" {
		return nil, false
	}
	kept, err := c.before.Get(id)
	if err == nil && git.IsBlob(kept, id) {
		return asStored(kept, f)
	}
	if !f.disk {
		c.unread[path] = c.unread[path] || missing
		return nil, false
	}
	b, err := git.ReadFile(c.repo.at.full(path), f.Mode, git.MaxRead)
	if err != nil || !git.IsBlob(b, id) {
		return nil, false // it changed since it was looked at
	}
	return asStored(b, f)
}

// asStored turns the bytes on disk into those git would store. Line ends are
// the one conversion that can be told without git.
func asStored(b []byte, f file) ([]byte, bool) {
	if f.Raw == "" {
		return b, true
	}
	if f.Filtered {
		return nil, false
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), true
}

// count says how many lines lead from one file to another; ok is false where
// that is not known: binary, over 10 MB, or contents not to be had.
func (c *contents) count(fromPath string, from file, toPath string, to file) (added, deleted int, ok bool) {
	a, okA := c.get(fromPath, from)
	b, okB := c.get(toPath, to)
	if !okA || !okB || isBinary(a) || isBinary(b) {
		return 0, 0, false
	}
	added, deleted = countLines(a, b)
	return added, deleted, true
}
