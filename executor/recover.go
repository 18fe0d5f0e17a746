package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"agentflow/internal/filelock"
	"agentflow/internal/proc"
)

// Recovered is a run that a crash left behind and that was looked at again.
type Recovered struct {
	ID     string
	Dir    string
	Record Record // what came of it; zero when Err is set
	Ended  []proc.Ended
	// Err says why the run could not be finished; it is tried again by the
	// next Recover.
	Err error
}

// recoverGrace is how long leftovers of a crashed run may take to end.
const recoverGrace = 2 * time.Second

// Recover finishes every run in deps.RunsDir that no process holds and that is
// not recorded: it ends what is left of the run's processes, builds the entry
// from the folder and records it; without deps.Record it does nothing. Of two recoverers at once one takes each
// run. It never fails as a whole.
func Recover(ctx context.Context, deps Deps) []Recovered {
	if deps.Record == nil {
		return nil
	}
	deps = deps.withDefaults()
	var out []Recovered
	for _, dir := range runFolders(deps.RunsDir) {
		if ctx.Err() != nil {
			break
		}
		if uuid.Validate(filepath.Base(dir)) != nil || isRecorded(dir) {
			continue
		}
		if rec, ok := recoverOne(ctx, deps, dir); ok {
			out = append(out, rec)
		}
	}
	return out
}

// isRecorded looks without the lock, which is right: recorded is the last
// stage there is.
func isRecorded(dir string) bool {
	j, err := readJournal(dir)
	return err == nil && j.Stage == stageRecorded
}

// recoverOne says false for a run that is somebody else's, or none.
func recoverOne(ctx context.Context, deps Deps, dir string) (Recovered, bool) {
	rec := Recovered{ID: filepath.Base(dir), Dir: dir}
	r, err := load(ctx, deps, dir)
	var held *filelock.HeldError
	switch {
	case errors.As(err, &held):
		return rec, false
	case errors.Is(err, fs.ErrNotExist):
		// Nothing was begun here. It may be a run that is just being begun.
		removeStale(dir, deps.Now())
		return rec, false
	case err != nil:
		rec.Err = fmt.Errorf("recover run %s: %w", rec.ID, err)
		return rec, true
	case r.journal.Stage == stageRecorded:
		r.Close()
		return rec, false
	}
	rec.Ended = proc.EndTagged(ctx, rec.ID, recoverGrace)
	r.found = r.endedRemark(rec.Ended)
	rec.Record = r.finish(context.WithoutCancel(ctx), true)
	if rec.Record.RecordError != nil {
		rec.Err = fmt.Errorf("recover run %s: %w", rec.ID, rec.Record.RecordError)
	}
	return rec, true
}

// staleAfter is when an empty run folder is taken for a leftover.
const staleAfter = time.Hour

func removeStale(dir string, now time.Time) {
	if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > staleAfter {
		os.RemoveAll(dir)
	}
}
