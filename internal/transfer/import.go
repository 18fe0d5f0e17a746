package transfer

import (
	"agentflow/internal/plural"
)

// CountAdded counts the added memories and texts, in words.
func CountAdded(added []Added) string {
	texts := 0
	for _, a := range added {
		if a.ID == "" {
			texts++
		}
	}
	memories := plural.Count(len(added)-texts, "memory")
	switch texts {
	case 0:
		return memories
	case len(added):
		return plural.Count(texts, "text")
	}
	return memories + " and " + plural.Count(texts, "text")
}
