package consolidate

import (
	"context"

	"agentflow/app"
	"agentflow/memory"
)

// OpenWhole opens the memory of a namespace, project or global. what names the caller's data in the error.
func OpenWhole(ctx context.Context, o *app.Operation, namespace, what string) (*app.Repo, error) {
	switch namespace {
	case memory.ProjectNamespace:
		return o.OpenRecovered(ctx)
	case memory.GlobalNamespace:
		return app.OpenExistingGlobal(ctx, o)
	}
	return nil, app.Usagef("namespace %s: %s is of a whole memory: the repository's, or global", namespace, what)
}
