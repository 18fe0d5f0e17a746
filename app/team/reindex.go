package team

import (
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/internal/indexpool"
	"agentflow/internal/team"
	"agentflow/memory"
)

// CallerOf returns the caller that a token identifies.
func CallerOf(t team.Token) app.Caller {
	return app.Caller{Name: t.Name, Repositories: t.Repositories, Writes: t.Writes}
}

// WriteWait limits a write's wait for another server's write.
const WriteWait = 20 * time.Second

// FloodRest pauses the questions to a remote that sent too much.
const FloodRest = 5 * time.Minute

// ReindexForAll brings the index up to date, and reports whether it has facts for all
// repositories, or cannot be read.
func ReindexForAll(ctx context.Context, s *app.Repo) bool {
	has := true
	degraded, err := indexes.WithSynced(ctx, s, func(db *indexpool.Index) error {
		list, err := db.Namespaces(ctx)
		has = err != nil || slices.Contains(list, memory.TeamNamespace)
		return nil
	})
	s.Degraded("sync", app.AppendError(degraded, err))
	return has
}
