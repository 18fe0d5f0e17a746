package undo

import (
	"context"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/gitwatch/links"
	"agentflow/memory"
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
	return app.Mapped(list, func(c links.LaterCommit) api.LaterCommit { return api.LaterCommit(c) })
}
