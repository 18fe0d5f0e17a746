package gitwatch

import (
	"bytes"
	"errors"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/linediff"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/toolcalls"
)

// contents finds the bytes of a file in the object store, among the copies made at
// the start, or in the work tree.
type contents struct {
	repo    *Repo
	objects *objects.Reader
	before  *edits.Archive
	unread  map[string]bool // paths whose contents git should have, but does not
}

// get returns the bytes of the file at path. ok is false for a file over git.MaxRead bytes, and for
// contents that no longer exist.
func (c *contents) get(path string, f objects.File) ([]byte, bool) {
	switch {
	case !f.Exists():
		return nil, true
	case f.Mode == git.ModeGitlink:
		return []byte("Subproject commit " + f.Hash + "\n"), true // as git diff shows it
	}
	missing := false
	if f.Hash != "" {
		b, err := c.objects.Blob(git.KnownID(f.Hash))
		if err == nil {
			return b, true
		}
		missing = f.MTime == 0 && !errors.Is(err, git.ErrTooLarge) // it is from a tree
	}
	data, err := c.onDisk(path, f, git.MaxRead)
	if err != nil && !f.OnDisk && f.CopyID() != "" {
		c.unread[path] = c.unread[path] || missing
	}
	if err != nil || f.Filtered && f.Raw != "" {
		return nil, false
	}
	if f.Raw != "" { // only the conversion of line ends needs no git
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return data, true
}

// onDisk returns the bytes that a file had on disk, from the copy made at the start or
// from the work tree.
func (c *contents) onDisk(path string, f objects.File, limit int64) ([]byte, error) {
	id := f.CopyID()
	data, err := c.before.Get(id)
	if err != nil && f.OnDisk && id != "" {
		data, err = git.ReadFile(c.repo.at.Full(path), f.Mode, limit)
	}
	if err == nil && !git.IsBlob(data, id) {
		err = errors.New("it changed since it was looked at")
	}
	return data, err
}

// count counts the lines added and deleted by steps. ok is false for binary files, files over 10
// MB, and missing contents.
func (c *contents) count(fromPath, toPath string, steps []objects.Step) (added, deleted int, ok bool) {
	for _, s := range steps {
		a, okA := c.get(fromPath, s.Before)
		b, okB := c.get(toPath, s.After)
		if !okA || !okB || linediff.IsBinary(a) || linediff.IsBinary(b) {
			return 0, 0, false
		}
		more, fewer := linediff.Count(a, b)
		added, deleted = added+more, deleted+fewer
	}
	return added, deleted, true
}

func (c *contents) textID(path string, f objects.File) func() string {
	return func() string {
		if !f.Exists() {
			return toolcalls.NoText
		}
		if data, ok := c.get(path, f); ok {
			return toolcalls.TextID(data)
		}
		return ""
	}
}

// texts returns a function that returns the contents of a file's versions.
func (c *contents) texts(path string, files ...objects.File) func() [][]byte {
	return func() (list [][]byte) {
		for _, f := range files {
			if data, ok := c.get(path, f); ok {
				list = append(list, data)
			}
		}
		return list
	}
}
