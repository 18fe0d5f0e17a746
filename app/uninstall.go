package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/memory"
	"agentflow/writeback"
)

// UninstallRequest selects how much to remove.
type UninstallRequest struct {
	Memory bool // the Markdown of memory and the settings too
}

// UninstallPlan is what ApplyUninstall would do.
type UninstallPlan struct {
	Paths     []string       // that it removes, absolute; all of them are there
	Worktrees []api.Worktree // of runs, which stay with git
	Memory    string         // the folder of the Markdown
	Connected []string       // agents that stay connected: their next session here makes a memory again
	Degraded  []string

	req UninstallRequest
}

// UninstallResult names the removed hooks; the rest is as planned.
type UninstallResult struct {
	Hooks    UninstallHooksResult
	Degraded []string
}

// PlanUninstall lists the paths to remove. While a run is active the error is of
// KindLocked, because the run would create the paths again.
func PlanUninstall(ctx context.Context, m *Memory, req UninstallRequest) (plan UninstallPlan, err error) {
	o := m.begin(ctx)
	defer o.end(&plan.Degraded, &err)
	plan.req = req
	s, err := o.openRecovered(ctx)
	if isSwitchedOff(err) {
		o.evenOff = true
		s, err = o.openExisting(ctx)
	}
	if err != nil {
		return plan, err
	}
	plan.Memory, plan.Connected = s.Memory(), remembering(o)
	if plan.Paths, err = removable(s, req.Memory); err != nil {
		return plan, err
	}
	var trees error
	if plan.Worktrees, trees = treesLeft(ctx, s, nil); trees != nil {
		s.warn("%v", trees)
	}
	return plan, nil
}

// ApplyUninstall removes the planned paths, git's hooks and the
// trust in the settings. It is an error of KindRefused if there is now something
// else to remove.
func ApplyUninstall(ctx context.Context, m *Memory, plan UninstallPlan) (result UninstallResult, err error) {
	o := m.begin(ctx)
	o.evenOff = true
	defer o.end(&result.Degraded, &err)
	s, err := o.openExisting(ctx)
	if err == nil {
		result.Hooks, err = uninstall(ctx, s, plan)
	}
	return result, err
}

func removable(s *openMemory, withMemory bool) ([]string, error) {
	live, err := executor.Live(s.Runs())
	if err != nil {
		return nil, err
	}
	if len(live) > 0 {
		return nil, &Error{Kind: KindLocked, Err: fmt.Errorf("removing agentflow from %s: run %s is going on", s.Worktree, memory.ShortID(live[0].ID)),
			Hint: "it would bring all back when it ends; wait for it, or end it"}
	}
	paths := append([]string{s.State(), filepath.Join(s.Root, "state"), s.dirs.Fallback(s.Place), installedService(s)}, contentsFolders(s)...)
	if withMemory {
		paths = append(paths, s.Root)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil // that includes ""
	}), nil
}

func uninstall(ctx context.Context, s *openMemory, plan UninstallPlan) (hooks UninstallHooksResult, err error) {
	paths, err := removable(s, plan.req.Memory)
	if err != nil {
		return hooks, err
	}
	if !slices.Equal(paths, plan.Paths) {
		return hooks, &Error{Kind: KindRefused, Err: fmt.Errorf("removing agentflow from %s: there is something else to remove now", s.Worktree), Hint: "try again"}
	}
	watcher, _ := watching(s)
	var unhooked error
	if s.CommonDir != "" {
		hooks, unhooked = uninstallHooks(ctx, s.Place)
	}
	failed := s.store.Exclude(ctx, func() (err error) {
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
	if s.dirs.State != "" {
		failed = errors.Join(failed, s.dirs.Trust().Revoke(s.ConfigFile()))
		if plan.req.Memory {
			failed = errors.Join(failed, s.dirs.Known().Forget(s.Root))
		}
	}
	if failed != nil {
		return hooks, fmt.Errorf("removing agentflow from %s: %w", s.Worktree, failed)
	}
	return hooks, nil
}

// removeAll is os.RemoveAll, repeated if a daemon makes a file there before it
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
