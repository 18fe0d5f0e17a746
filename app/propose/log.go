package propose

import (
	"slices"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// ChangesOf returns the changes in an entry's working tree, committed or not.
func ChangesOf(e *memory.Entry) []changeset.Change {
	return slices.Concat(e.Changes.Items, e.Uncommitted.Items)
}

// ChangesAnywhere returns all changes of an entry, including those outside its working tree.
func ChangesAnywhere(e *memory.Entry) []changeset.Change {
	return append(ChangesOf(e), e.Elsewhere.Items...)
}
