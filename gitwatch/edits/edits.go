package edits

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
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
	// MixedSwept: somebody else changed the file, and the run only committed it.
	MixedSwept Mixed = "swept"
)

// Or is the worse of two answers: what holds for both files of a rename.
func (m Mixed) Or(other Mixed) Mixed {
	for _, worst := range []Mixed{MixedYes, MixedSwept, MixedUnknown} {
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

// A run's folder holds, in one archive, the list of what the run changed and
// the contents that are nowhere else. Nothing in it is compressed, so that
// what is purged from memory can be found in it.
const (
	fileName = "edits.zip"
	listName = "edits.json"
	version  = 1
)

// document is the archive's list.
type document struct {
	Version   int    `json:"version"`
	Edits     []line `json:"edits,omitempty"`
	Committed []line `json:"committed,omitempty"`
	Moved     int    `json:"moved,omitempty"`
}

// line is an Edit whose names keep every byte in JSON.
type line struct {
	Path     git.Name `json:"path"`
	OldPath  git.Name `json:"old_path,omitempty"`
	Before   File     `json:"before,omitzero"`
	After    File     `json:"after,omitzero"`
	Held     *File    `json:"held,omitempty"`
	Stayed   bool     `json:"stayed,omitempty"`
	Unmerged bool     `json:"unmerged,omitempty"`

	Certainty memory.Certainty `json:"certainty,omitempty"`
	Mixed     Mixed            `json:"mixed,omitempty"`
}

func lineOf(e Change) line {
	return line{git.Name(e.Path), git.Name(e.OldPath), e.Before, e.After, e.Held, e.Stayed, e.Unmerged, e.Certainty, e.Mixed}
}

func changesOf(lines []line) []Change {
	var out []Change
	for _, l := range lines {
		out = append(out, Change{string(l.Path), string(l.OldPath), l.Before, l.After, l.Held, l.Stayed, l.Unmerged, l.Certainty, l.Mixed})
	}
	return out
}

// Load returns what the run whose folder is dir left changed in the work
// tree, uncommitted, sorted by path. The error is fs.ErrNotExist where the
// folder is gone, or is of a run that kept nothing.
func Load(dir string) ([]Change, error) {
	doc, err := load(dir)
	return changesOf(doc.Edits), err
}

// LoadCommitted returns what the run's commits changed. A path whose file
// somebody else changed between two of them stands there once for each
// stretch, the oldest first. Errors are those of Load.
func LoadCommitted(dir string) ([]Change, error) {
	doc, err := load(dir)
	return changesOf(doc.Committed), err
}

// LoadMoved returns how many files changed because HEAD was moved otherwise
// than by a commit made meanwhile: by a switch, a reset, a pull or a merge.
// Errors are those of Load.
func LoadMoved(dir string) (int, error) {
	doc, err := load(dir)
	return doc.Moved, err
}

// ErrNotKept says that contents are in no copy.
var ErrNotKept = errors.New("its contents were not kept: they are large, or hold a secret")

func load(dir string) (document, error) {
	archive, err := OpenArchive(dir)
	if err != nil {
		return document{}, err
	}
	defer archive.Close()
	var doc document
	data, err := archive.read(listName)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err == nil && doc.Version != version {
		err = fmt.Errorf("version %d is not known", doc.Version)
	}
	if err != nil {
		return document{}, fmt.Errorf("read what the run in %s changed: %w", dir, err)
	}
	return doc, nil
}

// Archive is what a run kept; nil where it kept nothing.
type Archive struct{ zip *zip.ReadCloser }

// OpenArchive opens what the run whose folder is dir kept. Errors are those of
// Load.
func OpenArchive(dir string) (*Archive, error) {
	archive, err := zip.OpenReader(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("read what the run in %s changed: %w", dir, err)
	}
	return &Archive{archive}, nil
}

// Close gives the archive back.
func (a *Archive) Close() error {
	if a == nil {
		return nil
	}
	return a.zip.Close()
}

func (a *Archive) read(name string) ([]byte, error) {
	f, err := a.zip.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Contents returns the bytes that f had on disk, where there is a copy.
func (a *Archive) Contents(f File) ([]byte, error) {
	if a == nil || f.Kept == "" {
		return nil, ErrNotKept
	}
	data, err := a.read(f.Kept)
	if err == nil && !git.IsBlob(data, f.Kept) {
		err = errors.New("the copy of its contents is damaged")
	}
	return data, err
}
