package run

import "agentflow/app/api"

// GoingResult lists the active runs, oldest first.
type GoingResult struct {
	Runs     []api.RunState // never nil
	Degraded []string       // failures that did not stop the operation, one per line; never nil
}
