package api

import (
	"agentflow/memory/retrieval"
)

// LikelyFiles are the files that a task will likely touch.
type LikelyFiles struct {
	Files []retrieval.LikelyFile `json:"files"` // those to change, tests, documents; each the likeliest first
}
