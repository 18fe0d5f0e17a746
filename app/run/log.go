package run

import (
	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/memory"
)

// Newest returns the newest entries that wanted accepts, at most limit. A limit of 0 means all.
func Newest(s *app.Repo, limit int, wanted func(*memory.Entry) bool) []lookup.StoredBlock {
	var out []lookup.StoredBlock
	for b := range lookup.ReadableBlocks(s) {
		if b.Entry == nil || !wanted(b.Entry) {
			continue
		}
		if out = append(out, b); len(out) == limit {
			break
		}
	}
	return out
}
