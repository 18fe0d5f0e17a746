// Package setup helps a user to set memory up and to see its state: settings (Config, SetConfig, CheckConfig),
// checks of the installation (Doctor), the state of memory (Status), the memory that the next session would get
// (Preview), settings for chat (Chatting), and removal (PlanUninstall, ApplyUninstall).
//
// Guarantees: SetConfig leaves the rest of a file as it is, and refuses a value that is not valid. Doctor and
// Preview change no memory. Uninstall keeps the Markdown unless the user asks for its removal too, and refuses while
// a run is active. A copy of the repository's settings is kept next to the log, and restored with a memory folder
// that vanished (KeepConfig).
//
// Not guaranteed: doctor's checks of the network and of other programs are only warnings, because memory works
// without them.
package setup

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

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/connect"
	"agentflow/app/daemon"
	"agentflow/app/forget"
	"agentflow/app/indexes"
	"agentflow/app/list"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/run"
	"agentflow/app/upkeep"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/index"
	"agentflow/index/sqlite"
	"agentflow/internal/config"
	"agentflow/internal/indexpool"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// StatusRequest asks for the state of memory.
type StatusRequest struct {
	ClearFailures bool // forget first the failures that were recorded so far
}

// Status counts the items of memory, and lists live runs, unwritten
// records, entries that vanished, and the last failures.
func Status(ctx context.Context, m *app.Memory, req StatusRequest) (result connect.StatusResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	defer o.OrNothing(&err)
	s, err := o.OpenRecovered(ctx)
	if errors.Is(err, app.ErrNothing) {
		place, _, e := o.Place()
		result.Status = emptyStatus(place)
		result.Status.Index.State = "absent"
		connect.StatusOfAgents(o, &result)
		return result, cmp.Or(e, err)
	}
	if err != nil {
		return result, err
	}
	if req.ClearFailures {
		err = s.Failures.Clear()
	}
	result = status(ctx, s)
	result.Open = list.OpenSessions(ctx, s, list.LogRequest{})
	if !s.Policy.ShowsPaths() {
		s.Team.ConcealMachine(&result.Status)
	}
	return result, err
}

// emptyStatus returns the status of an empty place.
func emptyStatus(place config.Place) api.Status {
	return api.Status{Memory: place.Memory(), State: place.State(), Worktree: place.Worktree, Log: filepath.Join(place.State(), "log"),
		Failures: []api.Failure{}, Degraded: []string{}}
}

func status(ctx context.Context, s *app.Repo) connect.StatusResult {
	result := connect.StatusResult{InGit: s.CommonDir != "", Status: emptyStatus(s.Place)}
	o := &result.Status
	degraded := func(what string, err error) {
		if err != nil {
			o.Degraded = append(o.Degraded, what+": "+err.Error())
		}
	}
	countEntries(ctx, s, o)
	vanished, err := s.Store.Vanished(ctx)
	degraded("looking for vanished entries", err)
	o.Vanished = lists.Mapped(vanished, forget.EntryOf)
	pending, err := s.Store.Pending(ctx)
	degraded("pending", err)
	o.Pending, o.Lock = len(pending), s.Store.Holder()
	o.Watch, err = daemon.Watching(s)
	degraded("looking for a watcher", err)
	o.Schedules, err = daemon.ListSchedules(s, time.Now())
	degraded("looking at schedules", err)
	allSchedules := err == nil
	live, err := executor.Live(s.Runs())
	degraded("looking for live runs", err)
	runs := slices.DeleteFunc(slices.Clone(live), func(r executor.LiveRun) bool { return r.Open })
	o.Live = lists.Mapped(runs, func(r executor.LiveRun) api.LiveRun {
		return api.LiveRun{ID: r.ID, Task: r.Task, Agent: r.Agent, Started: r.Started}
	})
	o.Trees, err = worktree.TreesLeft(ctx, s, live)
	degraded("looking for work trees of runs", err)
	hooks, err := commit.InstalledHooks(ctx, s)
	degraded("looking at hooks", err)
	o.Hooks = commit.HookObjects(hooks)
	result.Hooks, _ = commit.HooksInWords(o.Hooks)
	if trouble := commit.MissedNote(s.Place); trouble != "" {
		o.Degraded = append(o.Degraded, trouble)
	}
	connect.StatusOfAgents(s.Operation, &result)
	o.FromRepository = app.UntrustedPart(ctx, s).Object()
	failures, err := s.Failures.Last(app.KeepFresh)
	degraded("failures", err)
	for _, f := range failures {
		if !allSchedules || !daemon.OverSchedule(f, o.Schedules) {
			o.Failures = append(o.Failures, f)
		}
	}
	indexStatus(ctx, s, o)
	o.Contents, err = upkeep.ContentsStatus(ctx, s)
	degraded("reading the index of file contents", err)
	return result
}

func countEntries(ctx context.Context, s *app.Repo, o *api.Status) {
	list, err := lookup.CountedDigests(ctx, s, func(err error) { o.Degraded = append(o.Degraded, err.Error()) })
	if err != nil {
		o.Degraded = append(o.Degraded, err.Error())
	}
	for _, f := range list {
		n := f.Kinds
		o.Runs, o.Sessions, o.Commits, o.Notes = o.Runs+n[memory.KindRun], o.Sessions+n[memory.KindSession], o.Commits+n[memory.KindCommit], o.Notes+n[memory.KindNote]
		for _, fact := range f.Facts {
			if !fact.Struck {
				o.Facts++
			}
		}
		if f.Blocks > 0 {
			o.Files++
		}
	}
	if o.Runs+o.Sessions == 0 {
		return
	}
	for _, b := range run.Newest(s, 1, func(e *memory.Entry) bool { return e.Kind.ByAgent() }) {
		last := api.NewRun(*b.Entry, memoryfiles.ShownPath(s, b.Path))
		o.LastRun = &last
	}
}

// indexUnusable describes an index that cannot be opened.
const indexUnusable = "unusable"

func indexStatus(ctx context.Context, s *app.Repo, o *api.Status) {
	s.Patient = true // status sends no request to a provider, under any configuration
	o.Index = api.IndexStatus{Path: s.Index(), State: "absent", Provider: s.Settings.Embed.Provider}
	if _, err := os.Stat(s.Index()); s.Settings.Index.Store == sqlite.Name && errors.Is(err, fs.ErrNotExist) && o.Files == 0 {
		return
	}
	o.Index.State = indexUnusable
	degraded, err := indexes.WithSynced(ctx, s, func(db *indexpool.Index) error {
		stats, err := db.Stats(ctx)
		describeIndex(&o.Index, stats)
		if err != nil {
			return fmt.Errorf("reading the index: %w", err)
		}
		return nil
	})
	o.Degraded = slices.Concat(o.Degraded, app.AppendError(degraded, err))
}

func describeIndex(o *api.IndexStatus, stats index.Stats) {
	if stats.Where != "" {
		o.Path = stats.Where
	}
	o.State, o.Files, o.Included = stats.State.String(), stats.Files, stats.Included
	o.Entries, o.Chunks, o.Bytes = stats.Entries, stats.Chunks, stats.Bytes
	o.Embedder, o.Vectors, o.Pending = stats.Embedder, stats.Vectors, stats.Pending
}

// ContentsInWords says how many files of the work tree were read for their names.
func ContentsInWords(k api.ContentsStatus) string {
	if k.Files == 0 {
		return "none yet: 'agentflow index' reads the names in tracked files, as runs and sessions do"
	}
	return fmt.Sprintf("names of %s, %s (without lock files, generated and ignored files, and those above 4 MB)", plural.Count(k.Files, "tracked file"), plural.Bytes(k.Bytes))
}
