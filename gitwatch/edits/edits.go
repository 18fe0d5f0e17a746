// Package edits is what a run left changed, as it is kept in the run's folder:
// each path before and after, and the contents that git has nowhere.
//
// Guarantees: names keep every byte; contents come back exactly, for a copy
// that is damaged is an error. An archive is there whole or not at all, and
// nothing in it is compressed, so that what is purged from memory can be found
// in it.
//
// Not guaranteed: contents that are large or hold a secret are in no copy; who
// writes an archive decides that.
package edits

import (
	"strings"

	"agentflow/memory"
)

// Change is one path that a run left changed in the work tree, or that its
// commits changed.
type Change struct {
	Path          string // relative to the work tree's root, '/' separated, any bytes
	OldPath       string // where Before stood, for a rename; else empty
	Before, After File
	// Held is what the work tree held at the start of the run where that was
	// changed already, of a path that a commit of the run changed; else nil.
	Held *File
	// Stayed says that the work tree held the same at the end of the run, so
	// that only HEAD was changed.
	Stayed   bool
	Unmerged bool // a merge left it unresolved: After is only what stood there
	// Certainty says how sure it is that the run changed the path; empty for
	// runs from before that was kept, which counts as possible.
	Certainty memory.Certainty
	// Mixed says whether somebody else's change is inside.
	Mixed Mixed
}

// Mixed says whether a change of a run holds somebody else's change too.
type Mixed string

// Whether somebody else's change is inside a run's.
const (
	MixedNo      Mixed = ""        // it is the run's alone
	MixedUnknown Mixed = "unknown" // nothing tells
	MixedYes     Mixed = "yes"     // somebody else changed the file too, while the run was on
	// MixedOnlyCommitted: somebody else changed the file, and the run only committed it.
	MixedOnlyCommitted Mixed = "swept"
)

// Or is the worse of two answers: what holds for both files of a rename.
func (m Mixed) Or(other Mixed) Mixed {
	for _, worst := range []Mixed{MixedYes, MixedOnlyCommitted, MixedUnknown} {
		if m == worst || other == worst {
			return worst
		}
	}
	return MixedNo
}

// Sure says whether a change may be taken back unasked: it is the run's, and
// the run's alone.
func (e Change) Sure() bool {
	return e.Certainty.Sure() && e.Mixed == MixedNo
}

// File is a file at one moment; the zero value is a file that did not
// exist. Hash is the id of its contents as git would store them, of the commit
// for a submodule, empty when it is not known. Kept names a copy of its
// contents, as they were on disk, by their id; where it is empty they are in
// git's object store, or were not kept. Size and MTime stand for the contents
// of a file on disk that was too large to be hashed; Size alone is that of one
// whose contents git has, which may have stood there with other line ends.
type File struct {
	Mode  uint32 `json:"mode,omitempty"`
	Hash  string `json:"hash,omitempty"`
	Kept  string `json:"kept,omitempty"`
	Size  int64  `json:"size,omitempty"`
	MTime int64  `json:"mtime,omitempty"` // Unix nanoseconds
	// Unknown says that a file may have stood there before the run, where git did
	// not look, as at what it ignores. Mode is then a guess.
	Unknown bool `json:"unknown,omitempty"`
}

// Exists says whether there was a file.
func (f File) Exists() bool { return f.Mode != 0 }

// Same says that two files are known to hold the same.
func (f File) Same(g File) bool {
	return f.Mode == g.Mode && f.Hash == g.Hash && (f.Hash != "" || !f.Exists())
}

// Stands says that a file of which only size and time are known looks the same
// on disk as g.
func (f File) Stands(g File) bool {
	return f.Hash == "" && f.MTime != 0 && f.Mode == g.Mode && f.MTime == g.MTime && f.Size == g.Size
}

// Claim is what may be done with a change that was made during a run.
type Claim int

// The claims, by what undo does.
const (
	// ByRun changes are the run's: they are taken back. Where somebody else's
	// change is inside (MixedYes), that is refused.
	ByRun Claim = iota
	// Uncertain changes may be somebody else's, or hold somebody else's: they are
	// taken back only when somebody says so.
	Uncertain
	// OnlyCommitted changes are somebody else's that the run committed. They
	// are never taken back.
	OnlyCommitted
)

// Claim says which the change is.
func (e Change) Claim() Claim {
	switch {
	case e.Mixed == MixedOnlyCommitted:
		return OnlyCommitted
	case e.Certainty.Sure() && e.Mixed != MixedUnknown:
		return ByRun
	}
	return Uncertain
}

// Below returns the edits of these paths and of what is below them; of a
// rename, one of the two names is enough. No paths mean all edits.
func Below(changes []Change, paths []string) []Change {
	if len(paths) == 0 {
		return changes
	}
	var out []Change
	for _, e := range changes {
		if isUnder(e.Path, paths) || e.OldPath != "" && isUnder(e.OldPath, paths) {
			out = append(out, e)
		}
	}
	return out
}

func isUnder(path string, roots []string) bool {
	for _, root := range roots {
		if root == "." || path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}
