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
)

// A run's folder holds one archive with the list of the run's changes and the contents
// that are not in git.
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
	Elsewhere []line `json:"elsewhere,omitempty"`
	Moved     int    `json:"moved,omitempty"`
}

// line is a Change whose names keep every byte in JSON.
type line struct {
	Path    git.Name `json:"path"`
	OldPath git.Name `json:"old_path,omitempty"`
	Change
}

func linesOf(changes []Change) (out []line) {
	for _, e := range changes {
		out = append(out, line{git.Name(e.Path), git.Name(e.OldPath), e})
	}
	return out
}

func changesOf(lines []line) (out []Change) {
	for _, l := range lines {
		l.Change.Path, l.Change.OldPath = string(l.Path), string(l.OldPath)
		out = append(out, l.Change)
	}
	return out
}

// Load returns the uncommitted changes of the run with the folder dir, sorted by path. The error is
// fs.ErrNotExist if the folder is gone, or the run kept nothing.
func Load(dir string) ([]Change, error) {
	doc, err := load(dir)
	return changesOf(doc.Edits), err
}

// LoadCommitted returns the changes of the run's commits. A path that others changed between two of
// them has one change for each stretch, the oldest first. Errors are those of Load.
func LoadCommitted(dir string) ([]Change, error) {
	doc, err := load(dir)
	return changesOf(doc.Committed), err
}

// LoadElsewhere returns the changes that the run made outside of its working tree. Errors are those
// of Load.
func LoadElsewhere(dir string) ([]Change, error) {
	doc, err := load(dir)
	return changesOf(doc.Elsewhere), err
}

// LoadMoved counts the files that changed because HEAD moved, by a switch or a reset, to a history
// without the commits of the start. Errors are those of Load.
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
	Elsewhere []Change // changes outside of the run's working tree
	dir       string
}

// Create begins the archive of the run with the folder dir. It appears there with
// Finish, which must be called.
func Create(dir string) (*Writer, error) {
	temp, err := os.CreateTemp(dir, "."+fileName+".*.tmp") // mode 0600
	if err != nil {
		return nil, err
	}
	return &Writer{&Copies{path: temp.Name(), file: temp, zip: zip.NewWriter(temp), has: map[string]bool{}}, nil, dir}, nil
}

// Finish writes the list of changes that the Load functions return, and puts the
// archive in place, unless ctx has ended. On an error no file is left.
func (w *Writer) Finish(ctx context.Context, uncommitted, committed []Change, moved int) error {
	data, err := json.Marshal(document{Version: version, Edits: linesOf(uncommitted), Committed: linesOf(committed), Elsewhere: linesOf(w.Elsewhere), Moved: moved})
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
