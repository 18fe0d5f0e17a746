package undo

import (
	"bytes"
	"context"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/links"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/digest"
)

// FindLaterCommits finds the commits that took over a run's uncommitted changes.
func FindLaterCommits(ctx context.Context, s *app.Repo, e *memory.Entry) []api.LaterCommit {
	repo, err := s.Repo(ctx)
	if err != nil || !e.Kind.ByAgent() {
		return nil
	}
	list, err := links.CommittedLater(ctx, repo, e)
	if err != nil {
		s.Degraded("links", []string{err.Error()})
	}
	if e.IsUndone() {
		list = slices.DeleteFunc(list, func(c links.LaterCommit) bool { return ofAnother(ctx, s, e, c.ID) })
	}
	return lists.Mapped(list, func(c links.LaterCommit) api.LaterCommit { return api.LaterCommit(c) })
}

// ofAnother reports whether another run or session made a commit. After a run was undone, such a
// commit made the same change again.
func ofAnother(ctx context.Context, s *app.Repo, e *memory.Entry, commit string) bool {
	for b := range lookup.Mentioning(ctx, s, digest.ByCommit(commit)) {
		names := func(c changeset.Commit) bool { return c.ID == commit }
		if b.Entry != nil && b.Entry.ID != e.ID && b.Entry.Kind.ByAgent() && slices.ContainsFunc(b.Entry.Commits, names) {
			return true
		}
	}
	return false
}

// inHead returns the commits that took over a run's uncommitted changes, with the paths that HEAD
// still has as the run left them.
func inHead(ctx context.Context, s *app.Repo, e *memory.Entry) (list []api.LaterCommit) {
	for _, c := range FindLaterCommits(ctx, s, e) {
		if ahead, err := worktree.Ahead(ctx, s.Worktree, c.ID); err != nil || ahead > 0 {
			continue
		}
		c.Paths = slices.DeleteFunc(c.Paths, func(path string) bool {
			then, gone := blame.Contents(ctx, s.Worktree, c.ID+":"+path)
			now, missing := blame.Contents(ctx, s.Worktree, "HEAD:"+path)
			return (gone == nil) != (missing == nil) || !bytes.Equal(then, now)
		})
		if len(c.Paths) > 0 {
			list = append(list, c)
		}
	}
	return list
}
