package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/internal/filelock"
	"agentflow/internal/proc"
	"agentflow/internal/safefile"
	"agentflow/memory"

	"github.com/google/uuid"
)

// Recovered is a run that a crash left behind and that Recover tried to finish.
type Recovered struct {
	ID     string
	Dir    string
	Record Record // its result; zero when Err is set
	Ended  []proc.Ended
	// Err says why the run could not be finished. The next Recover tries it again.
	Err error
}

// recoverGrace gives the remaining processes of a crashed run time to end.
const recoverGrace = 2 * time.Second

// Recover finishes every run in deps.RunsDir that no process holds and that is not recorded: it
// ends the processes that the run left, builds the entry from the folder and records it.
// Without deps.Record it does nothing. When two processes recover at once, each run is finished
// by one of them. It never fails completely: see Recovered.Err.
func Recover(ctx context.Context, deps Deps) []Recovered {
	if deps.Record == nil {
		return nil
	}
	deps = deps.withDefaults()
	var out []Recovered
	for _, dir := range runfolder.Folders(deps.RunsDir) {
		if ctx.Err() != nil {
			break
		}
		if uuid.Validate(filepath.Base(dir)) != nil || isSettled(dir) {
			continue
		}
		if rec, ok := recoverOne(ctx, deps, dir); ok {
			out = append(out, rec)
		}
	}
	return out
}

// isSettled reads without the lock. That is safe, because recorded is the last stage, and an
// open segment is left to the hooks of its session.
func isSettled(dir string) bool {
	if runfolder.IsRecorded(dir) {
		return true
	}
	j, err := runfolder.ReadJournal(dir)
	return err == nil && (j.Stage == runfolder.StageRecorded || isOpenSegment(j))
}

// recoverOne returns false if another process holds the run, or if there is no run.
func recoverOne(ctx context.Context, deps Deps, dir string) (Recovered, bool) {
	rec := Recovered{ID: filepath.Base(dir), Dir: dir}
	r, err := load(ctx, deps, dir, takeWait)
	var held *filelock.HeldError
	switch {
	case errors.As(err, &held):
		return rec, false
	case errors.Is(err, fs.ErrNotExist):
		// No run began here. It may be one that is just beginning.
		removeStale(dir, deps.Now())
		return rec, false
	case err != nil:
		rec.Err = fmt.Errorf("recover run %s: %w", memory.ShortID(rec.ID), err)
		return rec, true
	case r.journal.Stage == runfolder.StageRecorded || isOpenSegment(r.journal):
		r.Close()
		return rec, false
	}
	rec.Ended = proc.EndTagged(ctx, rec.ID, recoverGrace)
	r.found = endedRemark(rec.Ended, deps.Redact)
	rec.Record = r.finish(context.WithoutCancel(ctx), true)
	if rec.Record.RecordError != nil {
		rec.Err = fmt.Errorf("recover run %s: %w", memory.ShortID(rec.ID), rec.Record.RecordError)
	}
	return rec, true
}

// staleAfter must pass before an empty run folder counts as left over.
const staleAfter = time.Hour

func removeStale(dir string, now time.Time) {
	if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > staleAfter {
		os.RemoveAll(dir)
	}
}

// takeWait limits load's wait for the lock of a run that another process left: no longer
// than another process takes to check whether it is held.
const takeWait = 4 * time.Millisecond

// load reads a run that another process left, and takes its lock. Of a damaged journal it
// returns the readable part, with a remark.
func load(ctx context.Context, deps Deps, dir string, wait time.Duration) (*Begun, error) {
	lock, err := runfolder.LockFolder(ctx, dir, wait, deps.Now())
	if err != nil {
		return nil, err
	}
	r := &Begun{ID: filepath.Base(dir), Dir: dir, deps: deps, folder: runfolder.Folder{Dir: dir, Lock: lock}}
	r.journal, err = runfolder.ReadJournal(dir)
	if err != nil {
		// The journal is written before the agent starts and the events are opened. Without
		// both, no agent was started.
		if _, noEvents := os.Stat(r.folder.File(runfolder.EventsFile)); errors.Is(err, fs.ErrNotExist) && noEvents != nil {
			return nil, errors.Join(err, r.leaveUnbegun())
		}
		r.repair(err)
	}
	if other := r.journal.WorkTree; other != "" && other != deps.WorkTree {
		if r.deps.Work = nil; deps.WorkAt != nil {
			r.deps.Work = deps.WorkAt(context.WithoutCancel(ctx), other, r.journal.MainTree) // its changes are recorded permanently
		}
	}
	takeEnding(&r.journal, dir)
	r.stored = r.read(runfolder.PromptFile)
	r.summary = &summary.Summary{Extract: r.extractor(), Streams: r.journal.Raw}
	if r.journal.Segment != nil {
		r.summary = summary.NewDialog(r.extractor())
	}
	r.readEvents()
	if end := r.journal.End; end != nil && end.Result != nil && r.summary.Result == nil {
		r.summary.Add(*end.Result)
	}
	r.takeStderr(r.read(runfolder.StderrFile))
	return r, nil
}

// leaveUnbegun unlocks a folder in which no run began. It removes a folder with files, which
// may be copies of the user's: the process that wrote them had its lock, and died.
func (r *Begun) leaveUnbegun() error {
	items, err := os.ReadDir(r.Dir)
	if err == nil && len(items) > 1 { // more than the lock
		err = os.RemoveAll(r.Dir)
	}
	return errors.Join(err, r.Close())
}

// repair makes a damaged journal complete enough to finish the run.
func (r *Begun) repair(damage error) {
	j := &r.journal
	j.Version = runfolder.JournalVersion
	j.ID = r.ID
	if j.Stage != runfolder.StageRecorded && j.Stage != runfolder.StageEnded {
		j.Stage = runfolder.StageBegun
	}
	if j.Stage == runfolder.StageEnded && j.End == nil {
		j.Stage = runfolder.StageBegun
	}
	if j.Started.IsZero() {
		j.Started = runfolder.StartOf(r.ID, r.Dir)
	}
	if j.Task == "" {
		j.Task, j.Title = runfolder.UnknownTask, runfolder.UnknownTask
	}
	r.degrade(damage.Error())
}

func (r *Begun) read(name string) string {
	data, err := safefile.Read(r.folder.File(name), safefile.NoLink, runfolder.MaxJournal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.degrade(fmt.Sprintf("read the run's %s: %v", name, err))
	}
	return string(data)
}

func (r *Begun) readEvents() {
	f, err := safefile.Open(r.folder.File(runfolder.EventsFile), safefile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		defer f.Close()
		_, err = runfolder.ReadEvents(f, r.summary.Add)
	}
	if err != nil {
		r.degrade(err.Error())
	}
}
