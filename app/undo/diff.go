package undo

import (
	"slices"

	"agentflow/gitwatch/edits"
	"agentflow/internal/lists"
)

// PathsOf returns the sorted paths of edits without duplicates.
func PathsOf(list []edits.Change) []string {
	out := lists.Mapped(list, func(c edits.Change) string { return c.Path })
	slices.Sort(out)
	return slices.Compact(out)
}
