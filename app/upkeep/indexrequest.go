package upkeep

import (
	"agentflow/app/api"
)

// IndexRequest holds the options of Index.
type IndexRequest struct {
	Rebuild bool // make a new index from the Markdown
}

// IndexResult reports the work that Index did.
type IndexResult struct {
	Report   *api.IndexReport // nil when the index is not up to date
	Degraded []string
}
