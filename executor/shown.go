package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/uuid"

	"agentflow/memory"
)

// Shown is a hit, or a fact of MEMORY.md, that was put in front of a run.
type Shown struct {
	ID     string `json:"id,omitempty"`     // of the entry or fact; empty for hand-written text
	Source string `json:"source,omitempty"` // as Hit.Source
	Path   string `json:"path"`             // as Hit.Path
	Line   int    `json:"line"`             // the first one, when it was shown
	Title  string `json:"title,omitempty"`  // the hit's heading
}

// Thing names what was shown: see memory.Hit.Thing.
func (s Shown) Thing() string {
	h := memory.Hit{EntryID: s.ID, Source: s.Source, Path: s.Path, StartLine: s.Line, Heading: s.Title}
	return h.Thing()
}

// Recalled is what a run was asked, and what memory put in front of it.
type Recalled struct {
	Task  string  // redacted
	Hits  []Shown // best first
	Facts []Shown // of MEMORY.md
}

// ErrNoFolder is matched when a run's folder is not there: it was never made,
// or has made room for newer ones.
var ErrNoFolder = errors.New("the run's folder is gone")

// ReadRecalled reads what the run with this id recalled from its journal.
func ReadRecalled(runsDir, id string) (Recalled, error) {
	if uuid.Validate(id) != nil {
		return Recalled{}, fmt.Errorf("reading what run %q recalled: %w", id, ErrNoFolder)
	}
	j, err := readJournal(filepath.Join(runsDir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return Recalled{}, fmt.Errorf("reading what run %s recalled: %w; the last %d runs are kept", id, ErrNoFolder, keepRuns)
	}
	if err != nil {
		return Recalled{}, fmt.Errorf("reading what run %s recalled: %w", id, err)
	}
	return Recalled{Task: j.Task, Hits: j.Hits, Facts: j.Facts}, nil
}
