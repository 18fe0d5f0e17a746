package runfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/memory"
	"agentflow/memory/retrieval"

	"github.com/google/uuid"
)

// StartOf returns when a run began, from its id (a UUIDv7 starts with the time) or otherwise
// from its folder.
func StartOf(id, dir string) time.Time {
	if u, err := uuid.Parse(id); err == nil && u.Version() == 7 {
		return time.Unix(u.Time().UnixTime())
	}
	if info, err := os.Stat(dir); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// UnknownTask replaces a task that a journal lost.
const UnknownTask = "(the task could not be read)"

// Limits of the run folders that are kept: their number, and their size in bytes.
const (
	KeepRuns  = 50
	KeepBytes = 500 << 20
)

// Folders lists the folders of runs, oldest first: their names are ordered by time.
func Folders(runsDir string) []string {
	entries, err := os.ReadDir(runsDir)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(runsDir, e.Name()))
		}
	}
	return dirs
}

// ErrNoFolder reports a run without a folder, or with a part of it missing:
// it was never made, or was removed in favour of newer ones.
var ErrNoFolder = fmt.Errorf("the run's folder is gone; the last %d runs are kept", KeepRuns)

// Read reads the journal of the run with this id.
func Read(runsDir, id string) (dir string, j Journal, err error) {
	if uuid.Validate(id) != nil { // it becomes part of a path
		return "", Journal{}, fmt.Errorf("run %q: %w", id, ErrNoFolder)
	}
	dir = filepath.Join(runsDir, id)
	if j, err = ReadJournal(dir); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("run %s: %w", memory.ShortID(id), ErrNoFolder)
	}
	return dir, j, err
}

// RecalledItem is a hit, or a fact of MEMORY.md, that a run was shown.
type RecalledItem struct {
	ID     string `json:"id,omitempty"`     // of the entry or fact; empty for hand-written text
	Source string `json:"source,omitempty"` // as Hit.Source
	Path   string `json:"path"`             // as Hit.Path
	Line   int    `json:"line"`             // the first line at that time
	Title  string `json:"title,omitempty"`  // the hit's heading
	// At is when a session was shown it; zero: before the session began, or it is a run.
	At time.Time `json:"at,omitzero"`
}

// Thing returns the name of the item: see retrieval.Hit.Thing.
func (s RecalledItem) Thing() string {
	h := retrieval.Hit{EntryID: s.ID, Source: s.Source, Path: s.Path, StartLine: s.Line, Heading: s.Title}
	return h.Thing()
}
