package gitwatch

import (
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// file is what one path holds. The zero value is a path that is not there.
type file struct {
	Mode  uint32 `json:"mode,omitempty"`
	Hash  string `json:"hash,omitempty"`  // blob id as git would store it; empty when not known
	Raw   string `json:"raw,omitempty"`   // id of the bytes on disk, where git converts them
	Size  int64  `json:"size,omitempty"`  // bytes on disk; 0 for a file from a tree
	MTime int64  `json:"mtime,omitempty"` // Unix nanoseconds; 0 for a file from a tree
	// Filtered says that a filter (as LFS) stands between the bytes on disk
	// and the blob, so that the two cannot be compared by lines.
	Filtered bool `json:"filtered,omitempty"`

	// Unknown says that the file may have stood there, and that nobody looked.
	Unknown bool `json:"-"`

	disk bool // the bytes are in the work tree now
}

func (f file) exists() bool { return f.Mode != 0 }

// kept is the name under which the contents on disk are kept.
func (f file) kept() string {
	if f.Raw != "" {
		return f.Raw
	}
	return f.Hash
}

// blob is what an entry keeps of the file's contents.
func (f file) blob() string {
	if !f.exists() {
		return memory.NoBlob
	}
	return memory.ShortBlob(f.Hash)
}

// same says whether two files hold the same. Where one is too large to have
// been hashed, size and time decide; what cannot be known counts as changed.
func (f file) same(g file) bool {
	if f.Mode != g.Mode || f.Unknown || g.Unknown {
		return false
	}
	switch {
	case !f.exists():
		return true
	case f.Raw != "" && g.Raw != "":
		return f.Raw == g.Raw
	case f.Hash != "" && g.Hash != "":
		return f.Hash == g.Hash
	}
	return f.Size == g.Size && f.MTime != 0 && f.MTime == g.MTime
}

// status is the letter for a path that held before and holds after.
func status(before, after file) memory.Status {
	switch {
	case !before.exists():
		return memory.StatusAdded
	case !after.exists():
		return memory.StatusDeleted
	case git.Kind(before.Mode) != git.Kind(after.Mode):
		return memory.StatusType
	}
	return memory.StatusModified
}

// dirtyFile is a path whose work-tree content differs from HEAD's.
type dirtyFile struct {
	Path     git.Name `json:"path"`
	Now      file     `json:"now,omitzero"`
	Head     file     `json:"head,omitzero"`
	Unmerged bool     `json:"unmerged,omitempty"` // a merge left it unresolved
}
