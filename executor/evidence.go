package executor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/gitwatch/toolcalls"
)

// ownCalls returns the calls of this run as evidence, with paths that are absolute or begin
// with calls.Anywhere. --verify is one of them. If the agent left processes running, every call
// that runs a command may have started them.
func (r *Begun) ownCalls() []toolcalls.Call {
	j := &r.journal
	all := r.summary.AllCalls(j.Ended)
	if end := j.End; end != nil {
		if v := end.Verify; v != nil && !v.Began.IsZero() {
			all = append(all, toolcalls.Call{Began: v.Began, Ended: v.Ended, Git: true})
		}
		for i := range all {
			all[i].Background = all[i].Background || end.LeftRunning && len(all[i].Wrote) == 0
		}
	}
	var writes []*toolcalls.Write
	for _, c := range all {
		for i := range c.Wrote {
			writes = append(writes, &c.Wrote[i])
		}
	}
	addEdits(j, r.deps, writes)
	return located(j.Dir, all)
}

// located makes the paths of calls absolute: agents name them relative to the folder in which
// they run. Paths that begin with calls.Anywhere stay as they are.
func located(dir string, all []toolcalls.Call) []toolcalls.Call {
	absolute := func(path *string) {
		if dir != "" && !filepath.IsAbs(*path) && !strings.HasPrefix(*path, toolcalls.Anywhere) {
			*path = filepath.Join(dir, *path)
		}
	}
	for i := range all {
		c := &all[i]
		c.Names = each(c.Names, absolute)
		c.Wrote = each(c.Wrote, func(w *toolcalls.Write) { absolute(&w.Path) })
		c.Saw = each(c.Saw, func(f *toolcalls.FileState) { absolute(&f.Path) })
		c.Left = each(c.Left, func(f *toolcalls.FileState) { absolute(&f.Path) })
	}
	return all
}

// each returns a copy of the list with every item changed.
func each[T any](list []T, change func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

// logDelay allows a run time to log the output of its agent: on two busy processors a
// pipe is read a little late.
const logDelay = 50 * time.Millisecond

// othersHeard returns othersAtWork, including events that agents sent just before the call.
func othersHeard(ctx context.Context, deps Deps, id string, j runfolder.Journal) (all []toolcalls.Call, shared bool) {
	if all, shared = othersAtWork(ctx, deps, id, j); !shared {
		return all, shared
	}
	select {
	case <-time.After(logDelay):
	case <-ctx.Done():
	}
	return othersAtWork(ctx, deps, id, j)
}

// othersAtWork returns the calls of other runs that were active in the same work tree at the
// same time as the run of journal j. It also reports whether there were any such runs.
func othersAtWork(ctx context.Context, deps Deps, id string, j runfolder.Journal) (all []toolcalls.Call, shared bool) {
	for _, dir := range runfolder.Folders(deps.RunsDir) {
		if filepath.Base(dir) == id {
			continue
		}
		other, yes := activeBeside(dir, j)
		if !yes {
			continue
		}
		shared = true
		if isOpenSegment(other) {
			catchUp(ctx, deps, filepath.Base(dir))
		}
		t := &summary.Summary{}
		if f, err := os.Open(filepath.Join(dir, runfolder.EventsFile)); err == nil {
			_, _ = runfolder.ReadEvents(f, t.Add) // the readable part counts
			f.Close()
		}
		all = append(all, located(other.Dir, t.AllCalls(other.Ended))...)
	}
	return all, shared
}

// activeBeside reports whether the run in a folder was active in the same work tree at the same
// time as the run of journal j.
func activeBeside(dir string, j runfolder.Journal) (other runfolder.Journal, yes bool) {
	if !writtenSince(dir, j.Started) && runfolder.IsRecorded(dir) {
		return other, false // it ended before this run began
	}
	other, err := runfolder.ReadJournal(dir)
	if !isOpenSegment(other) && !runfolder.Live(dir) && !writtenSince(dir, j.Started) {
		return other, false // its journal was last written before this run began
	}
	if err != nil && other.WorkTree == "" {
		return other, runfolder.Live(dir) // its work tree is unknown; a live run may be anywhere
	}
	return other, other.WorkTree == j.WorkTree && overlap(other, j)
}

// overlap reports whether the times of two runs overlap. A run without an end is still running.
func overlap(a, b runfolder.Journal) bool {
	startsIn := func(x, y runfolder.Journal) bool {
		return y.Ended.IsZero() || !x.Started.After(y.Ended)
	}
	return startsIn(a, b) && startsIn(b, a)
}

func writtenSince(dir string, t time.Time) bool {
	info, err := os.Stat(filepath.Join(dir, runfolder.JournalFile))
	// File systems keep times more coarsely than clocks do.
	return err == nil && !info.ModTime().Before(t.Add(-2*time.Second))
}
