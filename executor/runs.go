package executor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/internal/safefile"

	"github.com/google/uuid"
)

// Stored is the data in a run's folder.
type Stored struct {
	Task       string                   // redacted
	Hits       []runfolder.RecalledItem // the entries that it was shown, best first
	Facts      []runfolder.RecalledItem // of MEMORY.md and of the last days
	WorkTree   string                   // the work tree in which it worked
	Dir        string                   // the folder in which its agent was started
	Unrecorded bool                     // the request excluded an entry
	Resumed    bool                     // it continued the session of an earlier run
	ByAgent    bool                     // an agent's shell started it
}

// ReadRun reads the folder of the run with this id.
func ReadRun(runsDir, id string) (Stored, error) {
	_, j, err := runfolder.Read(runsDir, id)
	if err != nil {
		return Stored{}, fmt.Errorf("reading a stored run: %w", err)
	}
	return Stored{Task: j.Task, Hits: j.Hits, Facts: j.Facts, WorkTree: j.WorkTree, Dir: j.Dir, Unrecorded: j.NoRecord, Resumed: j.Resumed, ByAgent: j.ByAgent}, nil
}

// Transcript is the text that a run's agent was given, and the messages of the run, redacted.
type Transcript struct {
	Task   string
	Prompt string // the task and the text around it; empty for turns of a session
	Lines  []Line // oldest first; at most the last maxTranscript bytes
}

// Line is a message of the agent or, in turns of a session, a prompt of the user.
type Line struct {
	User bool
	Text string
}

// maxTranscript limits the lines that are read, in bytes.
const maxTranscript = 1 << 20

// ReadTranscript reads the transcript of the run, or of the turns of a session,
// with this id.
func ReadTranscript(runsDir, id string) (t Transcript, err error) {
	dir, j, err := runfolder.Read(runsDir, id)
	if err == nil {
		t, err = readTranscript(dir, j)
	}
	if err != nil {
		return Transcript{}, fmt.Errorf("reading the transcript of a run: %w", err)
	}
	return t, nil
}

func readTranscript(dir string, j runfolder.Journal) (Transcript, error) {
	prompt, promptErr := safefile.Read(filepath.Join(dir, runfolder.PromptFile), safefile.NoLink, runfolder.MaxJournal)
	if j.Segment != nil && errors.Is(promptErr, fs.ErrNotExist) {
		promptErr = nil
	}
	f, err := safefile.Open(filepath.Join(dir, runfolder.EventsFile), safefile.NoLink)
	if errors.Is(errors.Join(promptErr, err), fs.ErrNotExist) {
		return Transcript{}, runfolder.ErrNoFolder
	}
	if err := errors.Join(promptErr, err); err != nil {
		return Transcript{}, err
	}
	defer f.Close()
	lines, err := readSpoken(f)
	return Transcript{Task: j.Task, Prompt: string(prompt), Lines: lastLinesOf(lines)}, err
}

// readSpoken assembles the agent's messages from its events, between the prompts of the user.
func readSpoken(events io.Reader) (lines []Line, err error) {
	var open strings.Builder
	end := func() {
		if open.Len() > 0 {
			lines = append(lines, Line{Text: open.String()})
			open.Reset()
		}
	}
	_, err = runfolder.ReadEvents(events, func(ev agent.Event) {
		switch {
		case ev.Kind == agent.Asked:
			end()
			lines = append(lines, Line{User: true, Text: ev.Text})
		case ev.Kind == agent.Said:
			open.WriteString(ev.Text)
			if !ev.More {
				end()
			}
		}
	})
	end()
	return lines, err
}

// lastLinesOf returns the last maxTranscript bytes: complete lines, or the end of one.
func lastLinesOf(lines []Line) []Line {
	bytes := 0
	for i, l := range slices.Backward(lines) {
		if bytes += len(l.Text); bytes <= maxTranscript {
			continue
		}
		if i == len(lines)-1 {
			l.Text = l.Text[len(l.Text)-maxTranscript:]
			return []Line{l}
		}
		return lines[i+1:]
	}
	return lines
}

// LiveRun is a run that a process holds. Task is redacted.
type LiveRun struct {
	ID      string
	PID     int // of the process that holds the run
	Agent   string
	Title   string
	Task    string
	Started time.Time
	// WorkTree is the work tree in which the run works; absolute.
	WorkTree string
	Open     bool // it is the open segment of a session, which the process reads
}

// Live lists the runs in runsDir that a process holds, oldest first. If the journal of a run is
// missing, as at its very beginning, or damaged, only the id and the time are set. A missing
// folder holds no runs.
func Live(runsDir string) ([]LiveRun, error) {
	if _, err := os.ReadDir(runsDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for live runs: %w", err)
	}
	var out []LiveRun
	for _, dir := range runfolder.Folders(runsDir) {
		id := filepath.Base(dir)
		if uuid.Validate(id) != nil || !runfolder.Live(dir) {
			continue
		}
		j, err := runfolder.ReadJournal(dir)
		if err != nil {
			j.Started = runfolder.StartOf(id, dir)
		}
		out = append(out, LiveRun{ID: id, PID: j.PID, Agent: j.Agent, Title: j.Title, Task: j.Task, Started: j.Started, WorkTree: j.WorkTree, Open: isOpenSegment(j)})
	}
	return out, nil
}

// isOpenSegment reports whether the run in a folder is a segment that has not ended.
func isOpenSegment(j runfolder.Journal) bool {
	return j.Segment != nil && j.Stage == runfolder.StageBegun
}
