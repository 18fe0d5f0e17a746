package api

import "agentflow/memory"

// LikelyFiles are the files that a task will likely touch.
type LikelyFiles struct {
	Files []memory.LikelyFile `json:"files"` // those to change, tests, documents; each the likeliest first
}
