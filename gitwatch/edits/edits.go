// Package edits keeps the changes of a run in the run's folder: each path before and after, and the
// contents that are not in git.
//
// Guarantees: names keep every byte. Contents come back exactly, and a damaged copy is an error. An
// archive exists completely or not at all. Nothing in it is compressed, so that a search for text
// that was purged from memory finds it.
//
// Not guaranteed: large contents and those with a secret are not copied. The writer of an archive
// decides which.
package edits

import (
	"path/filepath"
	"slices"
	"strings"

	"agentflow/memory/changeset"
)

// Change is one path that a run left changed in the work tree, or that its
// commits changed.
type Change struct {
	Path    string `json:"-"` // relative to the work tree's root, '/' separated, any bytes
	OldPath string `json:"-"` // path of Before, for a rename; else empty
	Before  File   `json:"before,omitzero"`
	After   File   `json:"after,omitzero"`
	// Held is the work tree's file at the start of the run, for a path that a commit of the run
	// changed and that had uncommitted changes then. Otherwise it is nil.
	Held *File `json:"held,omitempty"`
	// Stayed says that the work tree held the same file at the end of the run, so that
	// only HEAD changed.
	Stayed   bool `json:"stayed,omitempty"`
	Unmerged bool `json:"unmerged,omitempty"` // an unresolved merge: After is only the file on disk
	// Certainty says how sure it is that the run changed the path. It is empty for runs of older
	// versions, and then counts as possible.
	Certainty changeset.Certainty `json:"certainty,omitempty"`
	Mixed     Mixed               `json:"mixed,omitempty"`
	// Tree is the top of the working tree that holds Path, for a file that the run wrote outside of
	// the run's working tree. It is absolute. It is empty if Path is in no working tree; Path is
	// absolute then.
	Tree           string `json:"tree,omitempty"`
	SameRepository bool   `json:"same_repository,omitempty"` // Tree is another working tree of the run's repository
	// Elsewhere says where another person put the change before the run ended. It is nil
	// for a change that was in the work tree.
	Elsewhere *Elsewhere `json:"elsewhere,omitempty"`
}

// File returns the absolute path of a change outside of the run's working tree.
func (e Change) File() string { return filepath.Join(e.Tree, filepath.FromSlash(e.Path)) }

// Elsewhere says where a change of the work tree was at the end of a run. Without commits it was
// gone.
type Elsewhere struct {
	Commits []string `json:"commits,omitempty"` // full ids, oldest first
	Stash   bool     `json:"stash,omitempty"`   // the commit is one of the stash
	Part    bool     `json:"part,omitempty"`    // the commits hold only a part, the work tree the rest
}

// Mixed says whether a change of a run contains a change by others.
type Mixed string

// The values of Mixed.
const (
	MixedNo      Mixed = ""        // only the run's change
	MixedUnknown Mixed = "unknown" // there is no evidence
	MixedYes     Mixed = "yes"     // others changed the file too during the run
	// MixedOnlyCommitted: others changed the file, and the run only committed it.
	MixedOnlyCommitted Mixed = "swept"
)

// Or returns the worse of two values, for the two files of a rename.
func (m Mixed) Or(other Mixed) Mixed {
	for _, worst := range []Mixed{MixedYes, MixedOnlyCommitted, MixedUnknown} {
		if m == worst || other == worst {
			return worst
		}
	}
	return MixedNo
}

// Sure reports whether a change may be undone without asking: it is only the run's.
func (e Change) Sure() bool {
	return e.Certainty.Sure() && e.Mixed == MixedNo
}

// File is the state of a file at one moment. The zero value is a file that did not exist. Hash is
// the id of its contents as git would store them, or a submodule's commit. It is empty if unknown.
// Kept is the id of a copy of its bytes on disk. If it is empty, git has the contents, or they were
// not kept. Size and MTime identify the contents of a file that was too large to be hashed. Size
// without MTime is that of a file on disk whose contents git has, perhaps with other line ends.
type File struct {
	Mode  uint32 `json:"mode,omitempty"`
	Hash  string `json:"hash,omitempty"`
	Kept  string `json:"kept,omitempty"`
	Size  int64  `json:"size,omitempty"`
	MTime int64  `json:"mtime,omitempty"` // Unix nanoseconds
	// Unknown says that a file may have existed before the run in a place where git did not look,
	// such as an ignored file. Mode is then a guess.
	Unknown bool `json:"unknown,omitempty"`
}

// Exists reports whether there was a file.
func (f File) Exists() bool { return f.Mode != 0 }

// Same reports whether two files are known to have the same contents.
func (f File) Same(g File) bool {
	return f.Mode == g.Mode && f.Hash == g.Hash && (f.Hash != "" || !f.Exists())
}

// Stands reports whether a file looks the same on disk as g, by size and time. It is for a file
// without a known hash.
func (f File) Stands(g File) bool {
	return f.Hash == "" && f.MTime != 0 && f.Mode == g.Mode && f.MTime == g.MTime && f.Size == g.Size
}

// Claim says what undo may do with a change that was made during a run.
type Claim int

// The claims, by what undo does.
const (
	// ByRun changes are the run's. Undo takes them back, except those that contain a change by
	// others (MixedYes).
	ByRun Claim = iota
	// Uncertain changes may be, or may contain, changes by others. Undo takes them back only if the
	// user confirms it.
	Uncertain
	// OnlyCommitted changes were made by others, and the run committed them. Undo never takes them
	// back.
	OnlyCommitted
)

// Claim returns the claim on the change.
func (e Change) Claim() Claim {
	switch {
	case e.Mixed == MixedOnlyCommitted:
		return OnlyCommitted
	case e.Certainty.Sure() && e.Mixed != MixedUnknown:
		return ByRun
	}
	return Uncertain
}

// Below returns the changes of these paths and of paths below them. For a rename, one of the two
// names is enough. Without paths it returns all changes.
func Below(changes []Change, paths []string) []Change {
	if len(paths) == 0 {
		return changes
	}
	under := func(path string) bool {
		return path != "" && slices.ContainsFunc(paths, func(root string) bool {
			return root == "." || path == root || strings.HasPrefix(path, root+"/")
		})
	}
	return slices.DeleteFunc(slices.Clone(changes), func(e Change) bool { return !under(e.Path) && !under(e.OldPath) })
}
