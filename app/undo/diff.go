package undo

import (
	"slices"

	"agentflow/app"
	"agentflow/gitwatch/edits"
)

// PathsOf returns the sorted paths of edits without duplicates.
func PathsOf(list []edits.Change) []string {
	out := app.Mapped(list, func(c edits.Change) string { return c.Path })
	slices.Sort(out)
	return slices.Compact(out)
}
