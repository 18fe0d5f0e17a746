package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/api"
	"agentflow/config"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/gitdir"
	"agentflow/internal/shellword"
	"agentflow/memory"
)

// earlierRun is the run that --resume continues, with its folder: agents keep their sessions by folder.
type earlierRun struct {
	session, agent string
	tree, dir      string // work tree, and folder in it; absolute
}

// earlier finds the run that --resume names, or returns nil without a name. It fails if the run cannot continue, and
// then no run must start.
func earlier(ctx context.Context, s *openMemory, ref string) (*earlierRun, error) {
	if ref == "" {
		return nil, nil
	}
	if s.store == nil {
		return nil, usagef("--resume %s: nothing is remembered here", ref)
	}
	f, err := find(ctx, s, ref, memory.KindRun)
	if err != nil {
		return nil, err
	}
	if f.Entry == nil || f.Entry.Session == "" {
		return nil, usagef("--resume %s: that entry has no agent session", ref)
	}
	run := &earlierRun{session: f.Entry.Session, agent: f.Entry.Agent}
	if run.tree, run.dir, err = placeOf(ctx, s, f.Entry); err != nil {
		return nil, err
	}
	return run, nil
}

// placeOf returns the work tree and the folder of a run, if they still exist.
func placeOf(ctx context.Context, s *openMemory, e *memory.Entry) (tree, dir string, err error) {
	run, err := executor.ReadRun(s.Runs(), e.ID)
	switch tree, dir = run.WorkTree, run.Dir; {
	case errors.Is(err, executor.ErrNoFolder): // the folder was removed for newer runs
		if tree, err = treeNamed(s, e.Worktree); err != nil {
			return "", "", err
		}
		if dir = tree; tree == s.Worktree {
			dir = s.dir
		}
	case err != nil:
		return "", "", err
	case e.Worktree == "" && len(api.Unread(*e)) == 0 && !isDir(tree): // the repository was moved
		if main, err := treeNamed(s, ""); err == nil {
			rel, _ := filepath.Rel(tree, dir)
			tree, dir = main, filepath.Join(main, rel)
		}
	}
	if !isDir(dir) || !isWorktree(s, tree) {
		return "", "", goneError(ctx, s, e, tree)
	}
	return tree, dir, nil
}

// treeNamed returns the work tree with a name from an entry.
func treeNamed(s *openMemory, name string) (string, error) {
	switch {
	case name == s.Linked:
		return s.Worktree, nil
	case name == "":
		return filepath.Dir(s.Root), nil
	}
	path, err := gitdir.Named(s.CommonDir, name)
	if err != nil {
		return "", &Error{Kind: KindRefused, Err: fmt.Errorf("looking for the work tree of the run: %w", err), Hint: withoutResume}
	}
	return path, nil
}

// isWorktree reports whether a folder is a work tree of this repository.
func isWorktree(s *openMemory, tree string) bool {
	if tree == s.Worktree {
		return true
	}
	place, err := config.Find(tree, s.dirs.Home)
	return err == nil && place.Root == s.Root && worktree.SamePath(place.Worktree, tree)
}

const withoutResume = "without --resume the task starts anew"

// goneError reports that a run cannot continue in its folder, with a hint how to restore the folder.
func goneError(ctx context.Context, s *openMemory, e *memory.Entry, tree string) error {
	err := &Error{Kind: KindRefused, Hint: withoutResume,
		Err: fmt.Errorf("going on with run %s: the work tree %s that it worked in is gone", memory.ShortID(e.ID), tree)}
	if isWorktree(s, tree) {
		err.Err = fmt.Errorf("going on with run %s: the folder of %s that it worked in is gone", memory.ShortID(e.ID), tree)
		return err
	}
	if names, _ := worktree.Branches(ctx, gitFolder(s)); slices.Contains(names, e.Branch) && e.Worktree != "" {
		err.Hint = fmt.Sprintf("its branch is there: 'git worktree prune && git worktree add %s %s' brings the work tree back", shellword.Quote(tree), shellword.Quote(e.Branch))
	}
	return err
}

// runThere runs the agent in the folder of an earlier run.
func (r *runner) runThere(ctx context.Context, deps executor.Deps, exec executor.Request) (executor.Record, *WorktreeLeft, error) {
	before := r.before
	elsewhere := before.tree != r.Worktree
	deps.WorkTree, deps.Dir = before.tree, before.dir
	if elsewhere {
		deps.Work, deps.MainTree = workspaceAt(ctx, r.openMemory, before.tree, false), false
	}
	if !worktree.SamePath(r.dir, before.dir) {
		r.say("working in %s", before.dir)
		deps.Env = worktree.EnvIn(deps.Env, before.dir)
	}
	rec, err := r.execute(ctx, deps, exec, 0)
	if !elsewhere || err != nil {
		return rec, nil, err
	}
	ctx = context.WithoutCancel(ctx) // an interrupted run is reported too
	tree, unknown := worktree.Open(ctx, gitFolder(r.openMemory), before.tree)
	if unknown != nil {
		return rec, nil, nil // the main working tree, or one that cannot be read
	}
	linked := &runWorktree{Linked: tree, onto: onto(ctx, r.openMemory), made: wasTree(r.openMemory, tree.Path)}
	return rec, linked.leave(ctx, WorktreeRequest{Keep: true}, rec), nil
}
