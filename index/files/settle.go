package files

import (
	"slices"

	"agentflow/memory"
)

// insteadChance is the least chance of a file that a prompt shows where it shows no entry and no
// other file.
const insteadChance = 0.1

// Settle notes which of the likely files of a task a prompt shows: the sure ones, without
// documents that the task touches in passing. If no entry is shown either, one file is enough to
// begin with: the likeliest.
func (q *Query) Settle(list []memory.LikelyFile, entries bool) {
	for i, f := range list {
		list[i].Sure = f.Sure && !q.inPassing(f)
	}
	if entries || slices.ContainsFunc(list, func(f memory.LikelyFile) bool { return f.Sure }) {
		return
	}
	at := slices.IndexFunc(list, func(f memory.LikelyFile) bool {
		return f.Chance >= insteadChance && f.Why != "" && !q.inPassing(f)
	})
	if at >= 0 {
		list[at].Sure = true
	}
}
