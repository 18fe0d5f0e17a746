package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/config"
	"agentflow/executor"
	"agentflow/index"
	"agentflow/index/sqlite"
	"agentflow/memory"
)

// StatusRequest asks for the state of memory.
type StatusRequest struct {
	ClearFailures bool // forget first the failures that were recorded so far
}

// StatusResult is the contents and the state of memory. Status.Degraded
// names the parts that could not be read.
type StatusResult struct {
	Status   api.Status
	InGit    bool             // hooks may be installed
	Hooks    string           // the hooks in a line
	Agents   []api.Connection // agents that are connected
	Open     []api.Run        // sessions that are open, the newest first
	Degraded []string
}

// Status counts the items of memory, and lists live runs, unwritten
// records, entries that vanished, and the last failures.
func Status(ctx context.Context, m *Memory, req StatusRequest) (result StatusResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	defer o.orNothing(&err)
	s, err := o.openRecovered(ctx)
	if errors.Is(err, errNothing) {
		place, _, e := o.place()
		result.Status = emptyStatus(place)
		result.Status.Index.State = "absent"
		statusOfAgents(o, &result)
		return result, cmp.Or(e, err)
	}
	if err != nil {
		return result, err
	}
	if req.ClearFailures {
		err = s.failures.clear()
	}
	result = status(ctx, s)
	result.Open = openSessions(ctx, s, LogRequest{})
	if s.caller != nil {
		s.team.concealMachine(&result.Status)
	}
	return result, err
}

// emptyStatus returns the status of an empty place.
func emptyStatus(place config.Place) api.Status {
	return api.Status{Memory: place.Memory(), State: place.State(), Worktree: place.Worktree, Log: filepath.Join(place.State(), "log"),
		Failures: []api.Failure{}, Degraded: []string{}}
}

func status(ctx context.Context, s *openMemory) StatusResult {
	result := StatusResult{InGit: s.CommonDir != "", Status: emptyStatus(s.Place)}
	o := &result.Status
	degraded := func(what string, err error) {
		if err != nil {
			o.Degraded = append(o.Degraded, what+": "+err.Error())
		}
	}
	countEntries(ctx, s, o)
	vanished, err := s.store.Vanished(ctx)
	degraded("looking for vanished entries", err)
	o.Vanished = mapped(vanished, entryOf)
	pending, err := s.store.Pending(ctx)
	degraded("pending", err)
	o.Pending, o.Lock = len(pending), s.store.Holder()
	o.Watch, err = watching(s)
	degraded("looking for a watcher", err)
	o.Schedules, err = schedules(s, time.Now())
	degraded("looking at schedules", err)
	allSchedules := err == nil
	live, err := executor.Live(s.Runs())
	degraded("looking for live runs", err)
	runs := slices.DeleteFunc(slices.Clone(live), func(r executor.LiveRun) bool { return r.Open })
	o.Live = mapped(runs, func(r executor.LiveRun) api.LiveRun {
		return api.LiveRun{ID: r.ID, Task: r.Task, Agent: r.Agent, Started: r.Started}
	})
	o.Trees, err = treesLeft(ctx, s, live)
	degraded("looking for work trees of runs", err)
	hooks, err := hooks(ctx, s)
	degraded("looking at hooks", err)
	o.Hooks = hookObjects(hooks)
	result.Hooks, _ = hooksInWords(o.Hooks)
	if trouble := missedNote(s.Place); trouble != "" {
		o.Degraded = append(o.Degraded, trouble)
	}
	statusOfAgents(s.operation, &result)
	o.FromRepository = untrustedPart(ctx, s).object()
	failures, err := s.failures.last(keepFresh)
	degraded("failures", err)
	for _, f := range failures {
		if !allSchedules || !overSchedule(f, o.Schedules) {
			o.Failures = append(o.Failures, f)
		}
	}
	indexStatus(ctx, s, o)
	o.Contents, err = contentsStatus(ctx, s)
	degraded("looking at what is known of files", err)
	return result
}

func countEntries(ctx context.Context, s *openMemory, o *api.Status) {
	list, err := countedDigests(ctx, s, func(err error) { o.Degraded = append(o.Degraded, err.Error()) })
	if err != nil {
		o.Degraded = append(o.Degraded, err.Error())
	}
	for _, f := range list {
		n := f.Kinds
		o.Runs, o.Sessions, o.Commits, o.Notes = o.Runs+n[memory.KindRun], o.Sessions+n[memory.KindSession], o.Commits+n[memory.KindCommit], o.Notes+n[memory.KindNote]
		o.Facts += len(f.Facts)
		if f.Blocks > 0 {
			o.Files++
		}
	}
	if o.Runs+o.Sessions == 0 {
		return
	}
	for _, b := range newest(s, 1, func(e *memory.Entry) bool { return e.Kind.ByAgent() }) {
		last := api.NewRun(*b.Entry, shownPath(s, b.Path))
		o.LastRun = &last
	}
}

// indexUnusable is the state of an index that cannot be opened.
const indexUnusable = "unusable"

func indexStatus(ctx context.Context, s *openMemory, o *api.Status) {
	s.patient = true // status sends no request to a provider, under any configuration
	o.Index = api.IndexStatus{Path: s.Index(), State: "absent", Provider: s.settings.Embed.Provider}
	if _, err := os.Stat(s.Index()); s.settings.Index.Store == sqlite.Name && errors.Is(err, fs.ErrNotExist) && o.Files == 0 {
		return
	}
	o.Index.State = indexUnusable
	degraded, err := withSynced(ctx, s, func(db *openIndex) error {
		stats, err := db.Stats(ctx)
		describeIndex(&o.Index, stats)
		if err != nil {
			return fmt.Errorf("reading the index: %w", err)
		}
		return nil
	})
	o.Degraded = slices.Concat(o.Degraded, appendError(degraded, err))
}

func describeIndex(o *api.IndexStatus, stats index.Stats) {
	if stats.Where != "" {
		o.Path = stats.Where
	}
	o.State, o.Files, o.Included = stats.State.String(), stats.Files, stats.Included
	o.Entries, o.Chunks, o.Bytes = stats.Entries, stats.Chunks, stats.Bytes
	o.Embedder, o.Vectors, o.Pending = stats.Embedder, stats.Vectors, stats.Pending
}
