package run

import (
	"agentflow/app"
	"agentflow/memory"
)

// Newest returns the newest entries that wanted accepts, at most limit. A limit of 0 means all.
func Newest(s *app.Repo, limit int, wanted func(*memory.Entry) bool) []app.StoredBlock {
	var out []app.StoredBlock
	for b := range app.ReadableBlocks(s) {
		if b.Entry == nil || !wanted(b.Entry) {
			continue
		}
		if out = append(out, b); len(out) == limit {
			break
		}
	}
	return out
}
