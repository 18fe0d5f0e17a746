package recall

import (
	"context"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/executor"
	"agentflow/memory/retrieval"
)

// Recaller answers the executor's questions from the index.
type Recaller struct {
	Mem     *app.Repo
	Top     int
	Agent   string
	Resumed string // the resumed run; empty: none
}

// Recall implements executor.Recaller.
func (r Recaller) Recall(ctx context.Context, task string) (executor.Known, error) {
	namespaces, err := lookup.SearchedNamespaces(ctx, r.Mem, nil, r.Resumed)
	found, asked := Gather(ctx, r.Mem, retrieval.Query{Text: task, Limit: r.Top, Gate: true, Namespaces: namespaces}, r.Agent)
	found.Degraded = app.AppendError(found.Degraded, err)
	return found, asked
}
