package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	appworktree "agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/gitdir"
	"agentflow/internal/safefile"
	"agentflow/internal/shellword"
	"agentflow/memory"
)

// earlierRun is the run that --resume continues, with its folder: agents keep their sessions by folder.
type earlierRun struct {
	Session, Agent string
	tree, dir      string // work tree, and folder in it; absolute
}

// earlier finds the run that --resume names, or returns nil without a name. It fails if the run cannot continue, and
// then no run must start.
func earlier(ctx context.Context, s *app.Repo, ref string) (*earlierRun, error) {
	if ref == "" {
		return nil, nil
	}
	if s.Store == nil {
		return nil, app.Usagef("--resume %s: nothing is remembered here", ref)
	}
	f, err := lookup.Find(ctx, s, ref, memory.KindRun)
	if err != nil {
		return nil, err
	}
	if f.Entry == nil || f.Entry.Session == "" {
		return nil, app.Usagef("--resume %s: that entry has no agent session", ref)
	}
	run := &earlierRun{Session: f.Entry.Session, Agent: f.Entry.Agent}
	if run.tree, run.dir, err = placeOf(ctx, s, f.Entry); err != nil {
		return nil, err
	}
	return run, nil
}

// placeOf returns the work tree and the folder of a run, if they still exist.
func placeOf(ctx context.Context, s *app.Repo, e *memory.Entry) (tree, dir string, err error) {
	run, err := executor.ReadRun(s.Runs(), e.ID)
	switch tree, dir = run.WorkTree, run.Dir; {
	case errors.Is(err, runfolder.ErrNoFolder): // the folder was removed for newer runs
		if tree, err = TreeNamed(s, e.Worktree); err != nil {
			return "", "", err
		}
		if dir = tree; tree == s.Worktree {
			dir = s.Dir
		}
	case err != nil:
		return "", "", err
	case e.Worktree == "" && len(api.Unread(*e)) == 0 && !safefile.IsDir(tree): // the repository was moved
		if main, err := TreeNamed(s, ""); err == nil {
			rel, _ := filepath.Rel(tree, dir)
			tree, dir = main, filepath.Join(main, rel)
		}
	}
	if !safefile.IsDir(dir) || !appworktree.IsWorktree(s, tree) {
		return "", "", goneError(ctx, s, e, tree)
	}
	return tree, dir, nil
}

// TreeNamed returns the work tree with a name from an entry.
func TreeNamed(s *app.Repo, name string) (string, error) {
	switch {
	case name == s.Linked:
		return s.Worktree, nil
	case name == "":
		return filepath.Dir(s.Root), nil
	}
	path, err := gitdir.Named(s.CommonDir, name)
	if err != nil {
		return "", &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("looking for the work tree of the run: %w", err), Hint: withoutResume}
	}
	return path, nil
}

const withoutResume = "without --resume the task starts from the beginning"

// goneError reports that a run cannot continue in its folder, with a hint how to restore the folder.
func goneError(ctx context.Context, s *app.Repo, e *memory.Entry, tree string) error {
	err := &app.Error{Kind: app.KindRefused, Hint: withoutResume,
		Err: fmt.Errorf("resuming run %s: the work tree %s that it worked in is gone", memory.ShortID(e.ID), tree)}
	if appworktree.IsWorktree(s, tree) {
		err.Err = fmt.Errorf("resuming run %s: the folder of %s that it worked in is gone", memory.ShortID(e.ID), tree)
		return err
	}
	if names, _ := worktree.Branches(ctx, app.GitFolder(s)); slices.Contains(names, e.Branch) && e.Worktree != "" {
		err.Hint = fmt.Sprintf("its branch is there: 'git worktree prune && git worktree add %s %s' brings the work tree back", shellword.Quote(tree), shellword.Quote(e.Branch))
	}
	return err
}

// runThere runs the agent in the folder of an earlier run.
func (r *runner) runThere(ctx context.Context, deps executor.Deps, exec executor.Request) (executor.Record, *app.WorktreeLeft, error) {
	before := r.before
	elsewhere := before.tree != r.Repo.Worktree
	deps.WorkTree, deps.Dir = before.tree, before.dir
	if elsewhere {
		deps.Work, deps.MainTree = appworktree.WorkspaceAt(ctx, r.Repo, before.tree, false), false
	}
	if !worktree.SamePath(r.Repo.Dir, before.dir) {
		r.Repo.Say("working in %s", before.dir)
		deps.Env = worktree.EnvIn(deps.Env, before.dir)
	}
	rec, err := r.execute(ctx, deps, exec, 0)
	if !elsewhere || err != nil {
		return rec, nil, err
	}
	ctx = context.WithoutCancel(ctx) // an interrupted run is reported too
	tree, unknown := worktree.Open(ctx, app.GitFolder(r.Repo), before.tree)
	if unknown != nil {
		return rec, nil, nil // the main working tree, or one that cannot be read
	}
	linked := &appworktree.RunWorktree{Linked: tree, Onto: appworktree.Onto(ctx, r.Repo), Made: appworktree.WasTree(r.Repo, tree.Path)}
	return rec, linked.Leave(ctx, appworktree.WorktreeRequest{Keep: true}, rec), nil
}
