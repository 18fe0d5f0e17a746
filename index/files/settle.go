package files

import (
	"slices"

	"agentflow/internal/roles"
	"agentflow/memory/retrieval"
)

// aloneChance is the least chance of a file in a prompt where no shown entry names the file.
// Of such files with less, about half are of use; of those that an entry names, 0.86.
const aloneChance = 0.25

// Settle notes which of the likely files of a task a prompt shows: the sure ones, without
// documents that the task touches in passing, without files that are not likely enough if no
// shown entry names them, and without files that a tool writes. Tests are shown only with a file to
// change, because one by itself misleads, unless the task speaks of tests.
func (q *Query) Settle(list []retrieval.LikelyFile, named func(path string) bool) {
	for i, f := range list {
		role := roles.Role(f.Role)
		list[i].Sure = f.Sure && role != roles.Tool && !q.inPassing(f) && (f.Chance >= aloneChance || named(f.Path)) &&
			(role.Part() != roles.Describe || q.asksForDocuments() || named(f.Path))
	}
	if q.asksForTests() || slices.ContainsFunc(list, func(f retrieval.LikelyFile) bool { return f.Sure && roles.Role(f.Role).Part() == roles.Change }) {
		return
	}
	for i, f := range list {
		list[i].Sure = f.Sure && roles.Role(f.Role).Part() != roles.Check
	}
}
