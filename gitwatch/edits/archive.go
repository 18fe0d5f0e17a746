package edits

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

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

func linesOf(changes []Change) []line {
	var out []line
	for _, e := range changes {
		out = append(out, line{git.Name(e.Path), git.Name(e.OldPath), e.Before, e.After, e.Held, e.Stayed, e.Unmerged, e.Certainty, e.Mixed})
	}
	return out
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

func load(dir string) (document, error) {
	archive, err := OpenArchive(dir)
	if err != nil {
		return document{}, err
	}
	defer archive.Close()
	var doc document
	data, err := archive.Get(listName)
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

// Writer fills the archive of one run.
type Writer struct {
	*Copies
	dir string
}

// Create begins the archive of the run whose folder is dir. Nothing is to
// be seen of it before Finish, which has to be called.
func Create(dir string) (*Writer, error) {
	temp, err := os.CreateTemp(dir, "."+fileName+".*.tmp") // mode 0600
	if err != nil {
		return nil, err
	}
	return &Writer{&Copies{path: temp.Name(), file: temp, zip: zip.NewWriter(temp), has: map[string]bool{}}, dir}, nil
}

// Finish lists what the run changed, as the Load functions return it, and puts
// the archive in its place, unless ctx has ended. On an error nothing is left.
func (w *Writer) Finish(ctx context.Context, uncommitted, committed []Change, moved int) error {
	data, err := json.Marshal(document{Version: version, Edits: linesOf(uncommitted), Committed: linesOf(committed), Moved: moved})
	if err == nil {
		err = w.write(listName, data)
	}
	if err = errors.Join(ctx.Err(), err, w.Close()); err == nil {
		err = os.Rename(w.path, filepath.Join(w.dir, fileName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(w.path))
	}
	return nil
}
