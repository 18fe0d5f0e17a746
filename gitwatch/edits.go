package gitwatch

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
)

// Edit is one path that a run left changed in the work tree, or that its
// commits changed.
type Edit struct {
	Path          string // relative to the work tree's root, '/' separated, any bytes
	OldPath       string // where Before stood, for a rename; else empty
	Before, After EditFile
	// Held is what the work tree held at the start of the run where that was
	// changed already, of a path that a commit of the run changed; else nil.
	Held *EditFile
	// Stayed says that the work tree held the same at the end of the run, so
	// that only HEAD was changed.
	Stayed   bool
	Unmerged bool // a merge left it unresolved: After is only what stood there
}

// EditFile is a file at one moment; the zero value is a file that did not
// exist. Hash is the id of its contents as git would store them, of the commit
// for a submodule, empty when it is not known. Kept names a copy of its
// contents, as they were on disk, by their id; where it is empty they are in
// git's object store, or were not kept.
type EditFile struct {
	Mode uint32 `json:"mode,omitempty"`
	Hash string `json:"hash,omitempty"`
	Kept string `json:"kept,omitempty"`
}

// Exists says whether there was a file.
func (f EditFile) Exists() bool { return f.Mode != 0 }

// same says that two files are known to hold the same.
func (f EditFile) same(g EditFile) bool {
	return f.Mode == g.Mode && f.Hash == g.Hash && (f.Hash != "" || !f.Exists())
}

// A run's folder holds, in one archive, the list of what the run changed and
// the contents that are nowhere else. Nothing in it is compressed, so that
// what is purged from memory can be found in it.
const (
	editsFile    = "edits.zip"
	editsList    = "edits.json"
	editsVersion = 1
)

// editsDoc is the archive's list.
type editsDoc struct {
	Version   int        `json:"version"`
	Edits     []editLine `json:"edits,omitempty"`
	Committed []editLine `json:"committed,omitempty"`
	Moved     int        `json:"moved,omitempty"`
}

// editLine is an Edit whose names keep every byte in JSON.
type editLine struct {
	Path     git.Name  `json:"path"`
	OldPath  git.Name  `json:"old_path,omitempty"`
	Before   EditFile  `json:"before,omitzero"`
	After    EditFile  `json:"after,omitzero"`
	Held     *EditFile `json:"held,omitempty"`
	Stayed   bool      `json:"stayed,omitempty"`
	Unmerged bool      `json:"unmerged,omitempty"`
}

func editsOf(lines []editLine) []Edit {
	var out []Edit
	for _, l := range lines {
		out = append(out, Edit{string(l.Path), string(l.OldPath), l.Before, l.After, l.Held, l.Stayed, l.Unmerged})
	}
	return out
}

// LoadEdits returns what the run whose folder is dir left changed in the work
// tree, uncommitted, sorted by path. The error is fs.ErrNotExist where the
// folder is gone, or is of a run that kept nothing.
func LoadEdits(dir string) ([]Edit, error) {
	doc, err := loadEdits(dir)
	return editsOf(doc.Edits), err
}

// LoadCommitted returns what the run's commits changed. A path whose file
// somebody else changed between two of them stands there once for each
// stretch, the oldest first. Errors are those of LoadEdits.
func LoadCommitted(dir string) ([]Edit, error) {
	doc, err := loadEdits(dir)
	return editsOf(doc.Committed), err
}

// LoadMoved returns how many files changed because HEAD was moved otherwise
// than by a commit made meanwhile: by a switch, a reset, a pull or a merge.
// Errors are those of LoadEdits.
func LoadMoved(dir string) (int, error) {
	doc, err := loadEdits(dir)
	return doc.Moved, err
}

// errNotKept says that contents are in no copy.
var errNotKept = errors.New("its contents were not kept: they are large, or hold a secret")

func loadEdits(dir string) (editsDoc, error) {
	archive, err := openEdits(dir)
	if err != nil {
		return editsDoc{}, err
	}
	defer archive.close()
	var doc editsDoc
	data, err := archive.read(editsList)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err == nil && doc.Version != editsVersion {
		err = fmt.Errorf("version %d is not known", doc.Version)
	}
	if err != nil {
		return editsDoc{}, fmt.Errorf("read what the run in %s changed: %w", dir, err)
	}
	return doc, nil
}

// editsArchive is what a run kept; nil where it kept nothing.
type editsArchive struct{ zip *zip.ReadCloser }

func openEdits(dir string) (*editsArchive, error) {
	archive, err := zip.OpenReader(filepath.Join(dir, editsFile))
	if err != nil {
		return nil, fmt.Errorf("read what the run in %s changed: %w", dir, err)
	}
	return &editsArchive{archive}, nil
}

func (a *editsArchive) close() error {
	if a == nil {
		return nil
	}
	return a.zip.Close()
}

func (a *editsArchive) read(name string) ([]byte, error) {
	f, err := a.zip.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// contents returns the bytes that f had on disk, where there is a copy.
func (a *editsArchive) contents(f EditFile) ([]byte, error) {
	if a == nil || f.Kept == "" {
		return nil, errNotKept
	}
	data, err := a.read(f.Kept)
	if err == nil && !git.IsBlob(data, f.Kept) {
		err = errors.New("the copy of its contents is damaged")
	}
	return data, err
}
