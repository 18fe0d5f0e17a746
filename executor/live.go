package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// LiveRun is a run that is going on. Task is redacted.
type LiveRun struct {
	ID      string
	PID     int // of the process that holds the run
	Agent   string
	Title   string
	Task    string
	Started time.Time
	// WorkTree is where it works; absolute.
	WorkTree string
}

// Live lists the runs in runsDir that a process holds, oldest first. One whose
// journal is not there yet, or cannot be read, has only what its id tells. A
// folder that is not there holds no runs.
func Live(runsDir string) ([]LiveRun, error) {
	if _, err := os.ReadDir(runsDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for live runs: %w", err)
	}
	var out []LiveRun
	for _, dir := range runFolders(runsDir) {
		id := filepath.Base(dir)
		if uuid.Validate(id) != nil || !live(dir) {
			continue
		}
		j, err := readJournal(dir)
		if err != nil {
			j.Started = startOf(id, dir)
		}
		out = append(out, LiveRun{ID: id, PID: j.PID, Agent: j.Agent, Title: j.Title, Task: j.Task, Started: j.Started, WorkTree: j.WorkTree})
	}
	return out, nil
}
