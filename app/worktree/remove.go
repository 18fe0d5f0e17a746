package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/settle"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/plural"
	"agentflow/internal/shellword"
)

// RemoveWorktreesRequest asks to remove work trees of runs, and the branches that
// were made with them.
type RemoveWorktreesRequest struct {
	Refs   []string // as in MergeWorktreeRequest
	Merged bool     // instead of Refs: all trees that are merged and clean, with a run that memory holds
	Force  bool     // also remove work that exists nowhere else
}

// RemoveWorktreesResult is the result of a removal.
type RemoveWorktreesResult struct {
	Removed  []api.RemovedWorktree
	InWords  []string // the removed trees and, with Merged, the number of those that stay, a line each
	Degraded []string
}

// RemoveWorktrees removes all of the work trees, or none if one of them must
// stay. Without Force it keeps work that exists nowhere else: uncommitted paths,
// commits that no branch of the user's has, and ignored files if they are
// all that a run left. A branch that the user named stays.
func RemoveWorktrees(ctx context.Context, m *app.Memory, req RemoveWorktreesRequest) (res RemoveWorktreesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	res.Removed = []api.RemovedWorktree{}
	switch {
	case req.Merged && (len(req.Refs) > 0 || req.Force):
		return res, app.Usagef("--merged takes no names and no --force: it removes all that are merged and clean")
	case !req.Merged && len(req.Refs) == 0:
		return res, app.Usagef("name a run, a branch or a path, or give --merged")
	}
	s, trees, err := openTrees(ctx, o, o.OpenRecovered)
	if err != nil {
		return res, err
	}
	chosen, err := toRemove(ctx, s, trees, req)
	if err != nil {
		return res, err
	}
	for _, t := range chosen {
		removed, err := removeTree(ctx, s, t, req.Force)
		if removed != nil {
			res.Removed, res.InWords = append(res.Removed, *removed), append(res.InWords, inWords(s, removed))
		}
		switch {
		case err == nil:
		case req.Merged && ctx.Err() == nil: // the others can go
			o.Warn("%v", err)
		default:
			return res, err
		}
	}
	if req.Merged {
		res.InWords = append(res.InWords, fmt.Sprintf("removed %s; %d stay", plural.Count(len(res.Removed), "work tree"), len(trees)-len(res.Removed)))
	}
	return res, nil
}

// inWords describes a removal, with the commit that restores the branch.
func inWords(s *app.Repo, r *api.RemovedWorktree) string {
	var parts []string
	if r.Path != "" {
		parts = append(parts, "work tree "+s.Shown(r.Path))
	}
	if r.Branch != "" {
		parts = append(parts, fmt.Sprintf("branch %s (it stood at %.12s)", r.Branch, r.Commit))
	}
	text := "removed " + strings.Join(parts, " and ")
	if r.Lost != "" {
		text += "; lost with it: " + r.Lost
	}
	return text
}

// toRemove selects the work trees to remove. It is an error if a named one must
// stay.
func toRemove(ctx context.Context, s *app.Repo, trees []*runTree, req RemoveWorktreesRequest) (chosen []*runTree, err error) {
	if !req.Merged {
		seen := map[*runTree]bool{}
		for _, ref := range req.Refs {
			t, err := treeNamedBy(s, trees, ref)
			if err != nil {
				return nil, err
			}
			if !seen[t] {
				chosen = append(chosen, t)
			}
			seen[t] = true
		}
		trees = chosen
	}
	chosen = nil
	var refused *app.Error
	var reasons []string
	for _, t := range trees {
		if err := inspect(ctx, s, t); err != nil {
			return nil, err
		}
		why := keepReason(ctx, s, t, req.Force)
		switch {
		case why == nil && (!req.Merged || t.Run != ""): // one without a run may be that of a run that begins just now
			chosen = append(chosen, t)
		case why != nil && !req.Merged:
			refused = why
			reasons = append(reasons, fmt.Sprintf("removing %s: %v", t.Ref, why.Err))
		}
	}
	if refused == nil || req.Merged {
		return chosen, nil
	}
	if refused.Err = errors.New(strings.Join(reasons, "; ")); len(trees) > 1 {
		refused.Err = fmt.Errorf("%w; nothing was removed", refused.Err)
	}
	return nil, refused
}

// keepReason returns why a work tree and its branch stay, or nil if they may be removed.
func keepReason(ctx context.Context, s *app.Repo, t *runTree, force bool) *app.Error {
	refuse := func(hint, format string, args ...any) *app.Error {
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	here, _ := filepath.EvalSymlinks(s.Dir)
	inside, err := filepath.Rel(t.Path, here)
	switch {
	case t.State == treeRunning:
		return app.AsError(t.activeError())
	case t.Path != "" && !t.made:
		return refuse(fmt.Sprintf("check out another branch in %s first", t.Path), "branch %s is checked out in %s, which is not the work tree of a run", t.Branch, t.Path)
	case t.Path != "" && err == nil && filepath.IsLocal(inside):
		return refuse("cd "+shellword.Quote(filepath.Dir(s.Root)), "you are in it")
	case t.State == treeUnusable:
		return refuse("", "%s", t.Note)
	case force:
		return nil
	case t.State == treeUnfinished:
		return refuse("'agentflow worktree rm "+shellword.Quote(t.Ref)+" --force' removes it", "git was ended while it made it, or makes it now")
	}
	if lost := unsavedWork(ctx, s, t); lost != "" {
		ref := shellword.Quote(t.Ref)
		hint := fmt.Sprintf("'agentflow worktree merge %s' takes it over first; 'agentflow worktree rm %s --force' gives it up", ref, ref)
		if t.Uncommitted > 0 {
			hint = strings.Replace(hint, "merge "+ref, "merge "+ref+" --commit", 1)
		}
		switch {
		case t.Branch == "" && t.MergedInto == "":
			hint = fmt.Sprintf("'git -C %s switch -c NAME' keeps the commits on a branch; 'agentflow worktree rm %s --force' gives them up", shellword.Quote(t.Path), ref)
		case t.Uncommitted == 0 && t.MergedInto != "":
			hint = fmt.Sprintf("look at it: cd %s; 'agentflow worktree rm %s --force' gives it up", shellword.Quote(t.Path), ref)
		}
		return refuse(hint, "%s would be lost", lost)
	}
	return nil
}

// unsavedWork describes the work that only exists in the tree and that a removal would destroy;
// empty if there is none.
func unsavedWork(ctx context.Context, s *app.Repo, t *runTree) string {
	var parts []string
	if t.Uncommitted > 0 {
		parts = append(parts, plural.Count(t.Uncommitted, "uncommitted path"))
	}
	if t.MergedInto == "" && (t.Branch == "" || t.goesWithBranch()) && t.Ahead > 0 {
		parts = append(parts, plural.Count(t.Ahead, "commit")+" that no other branch has")
	}
	if n, err := t.submoduleCommits(ctx); err != nil {
		parts = append(parts, "commits in its submodules, which could not be read: "+err.Error())
	} else if n > 0 {
		parts = append(parts, plural.Count(n, "commit")+" in its submodules that no remote has")
	}
	if t.Ignored > 0 && t.Uncommitted == 0 {
		linked, err := worktree.Open(ctx, app.GitFolder(s), t.Path)
		if err != nil || linked.Base == t.tip {
			parts = append(parts, plural.Count(t.Ignored, "path")+" that git ignores (all that its run left)")
		}
	}
	return strings.Join(parts, " and ")
}

// submoduleCommits counts the commits that only the submodules in the work tree have.
func (t *runTree) submoduleCommits(ctx context.Context) (int, error) {
	if t.State != treeClean && t.State != treeDirty {
		return 0, nil // there is no folder that could be read
	}
	return worktree.SubmoduleCommits(ctx, t.Path)
}

// goesWithBranch reports that the branch was made for the run, and is removed with its
// work tree.
func (t *runTree) goesWithBranch() bool { return settle.IsOfRun(t.Branch) }

// removeTree removes a work tree and, if it was made for the tree, the branch.
func removeTree(ctx context.Context, s *app.Repo, t *runTree, force bool) (*api.RemovedWorktree, error) {
	removed := &api.RemovedWorktree{Path: t.Path, Commit: t.tip}
	if force {
		removed.Lost = unsavedWork(ctx, s, t)
	}
	if t.Path != "" {
		if err := t.listed.Remove(ctx, app.GitFolder(s), force); err != nil {
			return nil, &app.Error{Kind: app.KindRefused, Err: err}
		}
		tidy(filepath.Dir(t.Path))
	}
	if t.goesWithBranch() {
		if err := worktree.DropBranch(ctx, app.GitFolder(s), t.Branch, t.tip); err != nil {
			return removed, &app.Error{Kind: app.KindRefused, Err: err, Hint: "'agentflow worktree list' shows its state"}
		}
		removed.Branch = t.Branch
	}
	return removed, nil
}
