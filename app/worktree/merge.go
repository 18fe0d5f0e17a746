package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/plural"
	"agentflow/internal/shellword"
	"agentflow/memory"
)

// MergeWorktreeRequest asks to merge the branch of a run into the branch
// checked out in the folder of the Memory.
type MergeWorktreeRequest struct {
	Ref    string // the run, by the end of its id, or its branch, or the path of its work tree, or "last"
	Commit bool   // commit uncommitted changes in the work tree first, with the run's title
}

// MergeWorktreeResult is the result of a merge.
type MergeWorktreeResult struct {
	api.MergedWorktree
	Ref      string // names the work tree, or the branch, that can be removed now
	Said     string // by git and its hooks
	Degraded []string
}

// MergeWorktree merges as git does, with its settings and hooks. It refuses,
// and changes nothing, while a run is active in either work tree, while the run's
// work tree has uncommitted changes, and if files are in conflict or in
// the way. If git begins a merge and cannot end it, as when a hook refuses the
// commit, the merge stays as git leaves it, and the error says so.
func MergeWorktree(ctx context.Context, m *app.Memory, req MergeWorktreeRequest) (res MergeWorktreeResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, trees, err := openTrees(ctx, o, o.OpenRecovered)
	if err != nil {
		return res, err
	}
	t, err := treeNamedBy(s, trees, req.Ref)
	if err != nil {
		return res, err
	}
	res.Ref, res.Branch = t.Ref, t.Branch
	if err := merge(ctx, s, t, req, &res); err != nil {
		what, known := cmp.Or(t.Branch, t.Ref), app.AsError(err)
		if res.Into != "" {
			what += " into " + res.Into
		}
		return res, &app.Error{Kind: known.Kind, Err: fmt.Errorf("merging %s: %w", what, err), Hint: known.Hint}
	}
	return res, nil
}

func merge(ctx context.Context, s *app.Repo, t *runTree, req MergeWorktreeRequest, res *MergeWorktreeResult) (err error) {
	if res.Into, err = mergeTarget(ctx, s, t); err != nil {
		return err
	}
	if err := inspect(ctx, s, t); err != nil {
		return err
	}
	if req.Commit && t.State == treeDirty {
		if err := commitIn(ctx, s, t); err != nil {
			return err
		}
	}
	if err := t.mergeable(); err != nil {
		return err
	}
	if t.Ahead > 0 {
		if res.Said, err = worktree.Merge(ctx, s.Worktree, s.Environ, t.Branch); err != nil {
			return mergeError(ctx, t, res.Into, err)
		}
	}
	left, err := worktree.Ahead(ctx, s.Worktree, t.tip)
	if err != nil {
		return err
	}
	res.Commits, res.Concluded = t.Ahead, left == 0
	if repo, err := s.Repo(ctx); err == nil {
		_, res.Commit, err = repo.Head(ctx)
		return err
	}
	return err
}

// mergeTarget returns the branch checked out here, if it can take a merge
// now.
func mergeTarget(ctx context.Context, s *app.Repo, t *runTree) (string, error) {
	refuse := func(hint, format string, args ...any) error {
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	if s.Worktree == "" {
		return "", refuse("go to a work tree that has the branch to merge into", "this repository is bare: nothing is checked out here")
	}
	into := Onto(ctx, s)
	merging, err := worktree.Merging(ctx, s.Worktree)
	switch {
	case err != nil:
		return "", err
	case into == "HEAD":
		return "", refuse("'git switch BRANCH' checks out the branch to merge into", "no branch is checked out here")
	case into == t.Branch:
		return "", refuse("go to the work tree that has the branch to merge into; 'git worktree list' lists them", "it is checked out here")
	case merging:
		return "", refuse("'git commit' ends it once its conflicts are resolved, 'git merge --abort' takes it back", "another merge is not ended here")
	}
	live, err := executor.Live(s.Runs())
	for _, r := range live {
		if worktree.SamePath(r.WorkTree, s.Worktree) {
			return "", &app.Error{Kind: app.KindLocked, Err: fmt.Errorf("run %s is at work here, and would count the merge as its work", memory.ShortID(r.ID)), Hint: "wait for its end"}
		}
	}
	return into, err
}

// mergeable returns the reason why a branch cannot be merged in the present state of
// its work tree, or nil.
func (t *runTree) mergeable() error {
	refused := &app.Error{Kind: app.KindRefused}
	switch {
	case t.State == treeRunning:
		return t.activeError()
	case t.State == treeUnusable:
		refused.Err = fmt.Errorf("the uncommitted changes in %s cannot be read: %s", t.Path, t.Note)
		refused.Hint = fmt.Sprintf("'git merge %s' merges the committed changes", shellword.Quote(t.Branch))
	case t.Branch == "":
		refused.Err = fmt.Errorf("%s has a detached HEAD", t.Path)
		refused.Hint = fmt.Sprintf("git -C %s switch -c NAME", shellword.Quote(t.Path))
	case t.Uncommitted > 0:
		refused.Err = fmt.Errorf("%s in its work tree %s would stay behind", plural.Count(t.Uncommitted, "uncommitted path"), t.Path)
		refused.Hint = fmt.Sprintf("'agentflow worktree merge %s --commit' commits all of that first", shellword.Quote(t.Ref))
	default:
		return nil
	}
	return refused
}

func (t *runTree) activeError() error {
	return &app.Error{Kind: app.KindLocked, Err: fmt.Errorf("run %s still works in its work tree", memory.ShortID(t.Run)), Hint: "wait for its end"}
}

// commitIn commits all changes in the work tree of a run, and reads its state again.
func commitIn(ctx context.Context, s *app.Repo, t *runTree) error {
	if t.Branch == "" {
		return t.mergeable()
	}
	message := cmp.Or(memory.Title(t.Task), "Work on "+t.Branch)
	if err := worktree.Commit(ctx, t.Path, s.Environ, message); err != nil {
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: fmt.Sprintf("commit it by hand: cd %s", shellword.Quote(t.Path))}
	}
	tips, err := worktree.Tips(ctx, app.GitFolder(s), t.Branch)
	if err != nil {
		return err
	}
	t.tip, t.State = tips[t.Branch], ""
	s.Say("committed %s on branch %s: %s", plural.Count(t.Uncommitted, "path"), t.Branch, message)
	return inspect(ctx, s, t)
}

// mergeError explains git's refusal, with remedies.
func mergeError(ctx context.Context, t *runTree, into string, err error) error {
	var why *worktree.MergeError
	if ctx.Err() != nil || !errors.As(err, &why) {
		return err
	}
	refused := &app.Error{Kind: app.KindRefused, Err: err}
	switch {
	case why.Begun:
		refused.Err = fmt.Errorf("git began the merge and left it to you: %w", err)
		refused.Hint = "'git commit' ends it once that is resolved, 'git merge --abort' takes it back"
	case len(why.Conflicts) > 0:
		refused.Err = fmt.Errorf("%w; nothing was changed here", err)
		refused.Hint = fmt.Sprintf("'git merge %s' stops at them for you to resolve", shellword.Quote(t.Branch))
		if t.resumable && t.agent == "claude" && t.Path != "" {
			refused.Hint += fmt.Sprintf("; or let the agent do it: agentflow run --resume %s 'Merge %s into your branch and resolve the conflicts'", memory.ShortID(t.Run), into)
		}
	case len(why.InTheWay) > 0:
		refused.Err = fmt.Errorf("%w; nothing was changed here", err)
		refused.Hint = "commit or stash them first"
	}
	return refused
}
