package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/connect"
	"agentflow/app/daemon"
	"agentflow/app/memoryfiles"
	"agentflow/app/upkeep"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/gitwatch/hook"
	"agentflow/memory"
	"agentflow/writeback"
)

// UninstallRequest selects how much to remove.
type UninstallRequest struct {
	Memory bool // the Markdown of memory and the settings too
	DryRun bool // write nothing for the plan: it lacks the records in the log that are not in Markdown yet
}

// UninstallPlan is what ApplyUninstall would do.
type UninstallPlan struct {
	Paths     []string       // that it removes, absolute; all of them are there
	Worktrees []api.Worktree // of runs, which stay with git
	Memory    string         // the folder of the Markdown
	Entries   int            // with UninstallRequest.Memory: that go
	Facts     int            // with UninstallRequest.Memory: that go
	Hooks     []string       // files of git's hooks here that are taken out, absolute
	Hooked    []string       // other repositories with our git hooks, by the folders of their memories
	Connected []string       // agents that stay connected: their next session here makes a memory again
	Degraded  []string

	req UninstallRequest
}

// UninstallResult names the removed hooks; the rest is as planned.
type UninstallResult struct {
	Hooks    commit.UninstallHooksResult
	Degraded []string
}

// PlanUninstall lists the paths to remove. While a run is active the error is of
// KindLocked, because the run would create the paths again.
func PlanUninstall(ctx context.Context, m *app.Memory, req UninstallRequest) (plan UninstallPlan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	plan.req = req
	open := o.OpenRecovered
	if req.DryRun {
		open = o.OpenExisting
	}
	s, err := open(ctx)
	if app.IsSwitchedOff(err) {
		o.EvenOff = true
		s, err = o.OpenExisting(ctx)
	}
	if err != nil {
		return plan, err
	}
	plan.Memory = s.Memory()
	if app.RemembersHere(o) {
		plan.Connected = connect.Remembering(o)
	}
	if req.Memory {
		plan.count(ctx, s)
	}
	if plan.Paths, err = removable(s, req.Memory); err != nil {
		return plan, err
	}
	hooks, err := commit.InstalledHooks(ctx, s)
	s.Degraded("uninstall", app.AppendError(nil, err))
	for _, h := range hooks {
		if h.State == hook.Installed || h.State == hook.Outdated {
			plan.Hooks = append(plan.Hooks, h.Path)
		}
	}
	known, err := Memories(ctx, m)
	s.Degraded("uninstall", app.AppendError(known.Degraded, err))
	for _, k := range known.Memories {
		if k.Hooks && k.Root != s.Root {
			plan.Hooked = append(plan.Hooked, filepath.Dir(k.Root))
		}
	}
	var trees error
	if plan.Worktrees, trees = worktree.TreesLeft(ctx, s, nil); trees != nil {
		s.Warn("%v", trees)
	}
	return plan, nil
}

// count counts the entries and facts that go with the repository's memory, without what others share.
func (plan *UninstallPlan) count(ctx context.Context, s *app.Repo) {
	list, err := memoryfiles.DigestsOfFiles(ctx, s, func(err error) { s.Degraded("uninstall", []string{err.Error()}) })
	s.Degraded("uninstall", app.AppendError(nil, err))
	for _, d := range list {
		plan.Facts += len(d.Facts)
		for kind, n := range d.Kinds {
			if kind != memory.KindNote {
				plan.Entries += n
			}
		}
	}
}

// ApplyUninstall removes the planned paths, git's hooks and the
// trust in the settings. It is an error of KindRefused if there is now something
// else to remove.
func ApplyUninstall(ctx context.Context, m *app.Memory, plan UninstallPlan) (result UninstallResult, err error) {
	o := m.Begin(ctx)
	o.EvenOff = true
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err == nil {
		result.Hooks, err = uninstall(ctx, s, plan)
	}
	return result, err
}

func removable(s *app.Repo, withMemory bool) ([]string, error) {
	live, err := executor.Live(s.Runs())
	if err != nil {
		return nil, err
	}
	if len(live) > 0 {
		return nil, &app.Error{Kind: app.KindLocked, Err: fmt.Errorf("removing agentflow from %s: run %s is in progress", s.Worktree, memory.ShortID(live[0].ID)),
			Hint: "it would bring all back when it ends; wait for it, or end it"}
	}
	paths := append([]string{s.State(), filepath.Join(s.Root, "state"), s.Dirs.Fallback(s.Place), daemon.InstalledService(s)}, upkeep.ContentsFolders(s)...)
	if withMemory {
		paths = append(paths, s.Root)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil // that includes ""
	}), nil
}

func uninstall(ctx context.Context, s *app.Repo, plan UninstallPlan) (hooks commit.UninstallHooksResult, err error) {
	paths, err := removable(s, plan.req.Memory)
	if err != nil {
		return hooks, err
	}
	if !slices.Equal(paths, plan.Paths) {
		return hooks, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("removing agentflow from %s: there is something else to remove now", s.Worktree), Hint: "try again"}
	}
	watcher, _ := daemon.Watching(s)
	var unhooked error
	if s.CommonDir != "" {
		hooks, unhooked = commit.UninstallHooksAt(ctx, s.Place)
	}
	failed := s.Store.Exclude(ctx, func() (err error) {
		for _, path := range paths {
			err = errors.Join(err, removeAll(path))
		}
		return err
	})
	if errors.Is(failed, writeback.ErrLocked) {
		return hooks, failed
	}
	failed = errors.Join(failed, unhooked)
	if watcher != nil {
		failed = errors.Join(failed, removeAgain(ctx, paths))
	}
	if s.Dirs.State != "" {
		failed = errors.Join(failed, s.Dirs.Trust().Revoke(s.ConfigFile()))
		if plan.req.Memory {
			failed = errors.Join(failed, s.Dirs.Known().Forget(s.Root))
		}
	}
	if failed != nil {
		return hooks, fmt.Errorf("removing agentflow from %s: %w", s.Worktree, failed)
	}
	return hooks, nil
}

// removeAll repeats os.RemoveAll if a daemon makes a file there before it
// notices that its lock was removed.
func removeAll(path string) (err error) {
	for range 20 {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
	}
	return err
}

// A watcher notices at its next update that its lock was removed. An update that had
// already begun may take watcherEnds, and make files again.
const (
	watcherEnds    = 500 * time.Millisecond
	removeInterval = 20 * time.Millisecond
)

// removeAgain removes files that a watcher makes again.
func removeAgain(ctx context.Context, paths []string) (err error) {
	for left := watcherEnds; left > 0; left -= removeInterval {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(removeInterval):
		}
		err = nil
		for _, path := range paths {
			err = errors.Join(err, removeAll(path))
		}
	}
	return err
}
