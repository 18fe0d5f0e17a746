package executor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/internal/safefile"
	"agentflow/memory"

	"github.com/google/uuid"
)

// IDs lists the runs that have a folder in runsDir, oldest first. It returns none for a missing
// folder.
func IDs(runsDir string) (ids []string) {
	for _, dir := range runfolder.Folders(runsDir) {
		if id := filepath.Base(dir); uuid.Validate(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Follower reads what a run writes into its folder, from any process. It is not safe for
// concurrent use.
type Follower struct {
	dir     string
	journal runfolder.Journal
	stat    os.FileInfo // of the journal that was read
	offset  int64       // in the events
	lines   agent.Lines
}

// Follow returns a Follower of the run with this id, which must be one of IDs.
func Follow(runsDir, id string) *Follower { return &Follower{dir: filepath.Join(runsDir, id)} }

// Live reports whether a process holds the run now.
func (f *Follower) Live() bool { return runfolder.Live(f.dir) }

// Run returns the run's data from the journal. Before there is a journal, known is false, and
// only the id and the time are set.
func (f *Follower) Run() (run LiveRun, known bool) {
	if info, err := os.Lstat(filepath.Join(f.dir, runfolder.JournalFile)); err == nil && (f.stat == nil || !os.SameFile(info, f.stat) || !info.ModTime().Equal(f.stat.ModTime())) {
		if j, err := runfolder.ReadJournal(f.dir); err == nil {
			j.Before = nil // large, and not needed here
			f.journal, f.stat = j, info
		}
	}
	id := filepath.Base(f.dir)
	j := f.journal
	if j.Started.IsZero() {
		j.Started = runfolder.StartOf(id, f.dir)
	}
	return LiveRun{ID: id, PID: j.PID, Agent: j.Agent, Title: j.Title, Task: j.Task, Started: j.Started, WorkTree: j.WorkTree}, f.stat != nil
}

// Dir returns the folder in which the agent runs, or "" before Run has read it.
func (f *Follower) Dir() string { return f.journal.Dir }

// Phase returns the current phase of the run, as one of the Phase constants.
func (f *Follower) Phase() string {
	switch {
	case f.stat == nil:
		return PhaseBegin
	case f.journal.Stage == runfolder.StageBegun:
		return PhaseAgent
	}
	return PhaseFinish
}

// Next calls each for every event that was logged since the last call. The texts of events are
// redacted.
func (f *Follower) Next(each func(agent.Event)) error {
	events, err := safefile.Open(filepath.Join(f.dir, runfolder.EventsFile), safefile.NoLink)
	if safefile.IsAbsent(err) {
		return nil // not begun, or removed already
	}
	if err != nil {
		return fmt.Errorf("following a run: %w", err)
	}
	defer events.Close()
	info, err := events.Stat()
	if err != nil {
		return fmt.Errorf("following a run: %w", err)
	}
	if info.Size() < f.offset { // in a full log a later result replaces the last one
		f.offset, f.lines = info.Size(), agent.Lines{}
	}
	chunk := make([]byte, 64<<10)
	for {
		n, err := events.ReadAt(chunk, f.offset)
		f.offset += int64(n)
		f.lines.Feed(chunk[:n], func(line []byte, huge bool) {
			var ev agent.Event
			if !huge && len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &ev) == nil && ev.Kind != "" {
				each(ev)
			}
		})
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("following a run: %w", err)
		}
	}
}

// End is how a run ended, as read from its folder.
type End struct {
	Outcome  memory.Outcome
	Turns    int
	CostUSD  float64
	Duration time.Duration // 0 if unknown
	// Unfinished says that the run's process ended before it could record the run. Recover will
	// record it.
	Unfinished bool
}

// End reads how the run ended, once it is not live. A run that was killed counts as
// interrupted.
func (f *Follower) End() (End, error) {
	end := End{Outcome: memory.OutcomeInterrupted}
	j, err := runfolder.ReadJournal(f.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // retention removed the folder of an old run
		}
		return end, err
	}
	end.Unfinished = j.Stage != runfolder.StageRecorded
	summary := &summary.Summary{Streams: j.Raw}
	log, err := safefile.Open(filepath.Join(f.dir, runfolder.EventsFile), safefile.NoLink)
	if err == nil {
		_, err = runfolder.ReadEvents(log, summary.Add)
		log.Close()
	}
	if safefile.IsAbsent(err) {
		err = nil
	}
	if j.End != nil {
		if j.End.Result != nil && summary.Result == nil {
			summary.Add(*j.End.Result)
		}
		end.Outcome, _, _ = outcomeOf(*j.End, summary, true)
	}
	end.Turns, end.CostUSD = summary.Turns, summary.Cost
	if last := cmp.Or(j.Ended, summary.Last); last.After(j.Started) {
		end.Duration = last.Sub(j.Started)
	}
	return end, err
}
