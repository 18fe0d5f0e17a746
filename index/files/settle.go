package files

import "agentflow/memory"

// aloneChance is the least chance of a file in a prompt where no shown entry names the file.
// Of such files with less, about half are of use; of those that an entry names, 0.86.
const aloneChance = 0.25

// Settle notes which of the likely files of a task a prompt shows: the sure ones, without
// documents that the task touches in passing, and without files that are not likely enough if no
// shown entry names them.
func (q *Query) Settle(list []memory.LikelyFile, named func(path string) bool) {
	for i, f := range list {
		list[i].Sure = f.Sure && !q.inPassing(f) && (f.Chance >= aloneChance || named(f.Path))
	}
}
