package executor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/gitwatch/toolcalls"
)

// eventDelay is the maximum time from the beginning of a tool call until its event reaches us,
// on a machine that is not overloaded: the agent's output is read every 4 ms.
const eventDelay = 30 * time.Millisecond

// callOf makes one call of a tool's two events. If a file tool failed, the call wrote no file.
func (t *runSummary) callOf(started, ended agent.Event) toolcalls.Call {
	began := started.Time.Add(-eventDelay)
	if t.dialog != nil {
		began = started.Time // in a session's file the time is by the agent's clock
	}
	call := toolcalls.Call{
		Began: began, Ended: ended.Time, Names: slices.Concat(started.Names, ended.Names),
		Saw: started.Seen, Left: ended.Seen, Background: started.Background, Git: started.Git,
	}
	if !started.Writes || ended.Failed {
		return call
	}
	for _, path := range started.Paths {
		w := toolcalls.Write{Path: path, Private: started.Private, Call: ended.Call}
		for _, result := range ended.Wrote {
			if filepath.Clean(result.Path) == filepath.Clean(path) {
				w.Before, w.After = result.Before, result.After
			}
		}
		call.Wrote = append(call.Wrote, w)
	}
	return call
}

// allCalls returns a run's calls. A call that was open when the agent ended, at the given time,
// ended then; the zero time leaves its end open. It is unknown whether the tool of an open call
// wrote the file that it names.
func (t *runSummary) allCalls(ended time.Time) []toolcalls.Call {
	all := slices.Clone(t.calls)
	for _, started := range t.open {
		if started.Reads {
			continue
		}
		call := t.callOf(started, agent.Event{Time: ended})
		call.Names, call.Wrote = append(call.Names, started.Paths...), nil
		all = append(all, call)
	}
	return all
}

// ownCalls returns the calls of this run as evidence, with paths that are absolute or begin
// with calls.Anywhere. --verify is one of them. If the agent left processes running, every call
// that runs a command may have started them.
func (r *Begun) ownCalls() []toolcalls.Call {
	j := &r.journal
	all := r.summary.allCalls(j.Ended)
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
	j.addEdits(r.deps, writes)
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

// hearing is how long a run may take to log the output of its agent: on two busy processors a
// pipe is read a little late.
const hearing = 50 * time.Millisecond

// othersHeard returns othersAtWork, including events that agents sent just before the call.
func othersHeard(ctx context.Context, deps Deps, id string, j journal) (all []toolcalls.Call, shared bool) {
	if all, shared = othersAtWork(ctx, deps, id, j); !shared {
		return all, shared
	}
	select {
	case <-time.After(hearing):
	case <-ctx.Done():
	}
	return othersAtWork(ctx, deps, id, j)
}

// othersAtWork returns the calls of other runs that were active in the same work tree at the
// same time as the run of journal j. It also reports whether there were any such runs.
func othersAtWork(ctx context.Context, deps Deps, id string, j journal) (all []toolcalls.Call, shared bool) {
	for _, dir := range runFolders(deps.RunsDir) {
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
		t := &runSummary{}
		if f, err := os.Open(filepath.Join(dir, eventsFile)); err == nil {
			_, _ = readEvents(f, t.add) // the readable part counts
			f.Close()
		}
		all = append(all, located(other.Dir, t.allCalls(other.Ended))...)
	}
	return all, shared
}

// activeBeside reports whether the run in a folder was active in the same work tree at the same
// time as the run of journal j.
func activeBeside(dir string, j journal) (other journal, yes bool) {
	if !writtenSince(dir, j.Started) && isRecorded(dir) {
		return other, false // it ended before this run began
	}
	other, err := readJournal(dir)
	if !isOpenSegment(other) && !live(dir) && !writtenSince(dir, j.Started) {
		return other, false // its journal was last written before this run began
	}
	if err != nil && other.WorkTree == "" {
		return other, live(dir) // its work tree is unknown; a live run may be anywhere
	}
	return other, other.WorkTree == j.WorkTree && overlap(other, j)
}

// overlap reports whether the times of two runs overlap. A run without an end is still running.
func overlap(a, b journal) bool {
	startsIn := func(x, y journal) bool {
		return y.Ended.IsZero() || !x.Started.After(y.Ended)
	}
	return startsIn(a, b) && startsIn(b, a)
}

func writtenSince(dir string, t time.Time) bool {
	info, err := os.Stat(filepath.Join(dir, journalFile))
	// File systems keep times more coarsely than clocks do.
	return err == nil && !info.ModTime().Before(t.Add(-2*time.Second))
}
