package why

import (
	"context"
	"slices"

	"agentflow/app"
	"agentflow/app/session"
	"agentflow/executor"
)

// SessionsSoFar returns the progress of the open sessions of the repository since their last entries, newest first. It
// leaves out sessions without new turns that already have an entry.
func SessionsSoFar(ctx context.Context, s *app.Repo) (list []executor.SoFar) {
	deps := session.Deps(ctx, s)
	for _, open := range slices.Backward(executor.OpenSegments(s.Runs())) {
		o, err := executor.ReadSoFar(ctx, deps, open)
		if err == nil && (o.First || len(o.Turns) > 0) { // an error: the session has just ended
			list = append(list, o)
		}
	}
	return list
}
