package app

import (
	"fmt"
	"strings"

	"agentflow/internal/plural"
	"agentflow/memory"
)

// This is what commands that have not moved still print with; cmd/agentflow has
// it already, in columns.go and log.go.

func cutRunes(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// sizeOf sums up what an entry changed.
func sizeOf(e *memory.Entry) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, noun))
		}
	}
	add(len(e.Commits), "commit")
	add(len(e.PossibleCommits), "possible commit")
	changes := changesOf(e)
	possible := countPossible(changes)
	add(len(changes)-possible, "change")
	add(possible, "possible change")
	if e.Kind != memory.KindNote {
		add(len(e.Facts), "memory")
	}
	if len(unread(*e)) > 0 {
		parts = append(parts, "changes not fully read")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s)", strings.Join(parts, ", "))
}

// countPossible counts the changes that are only possibly the run's.
func countPossible(changes []memory.Change) (n int) {
	for _, c := range changes {
		if c.Certainty == memory.Possible {
			n++
		}
	}
	return n
}
