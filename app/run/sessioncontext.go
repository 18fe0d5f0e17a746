package run

import (
	"strings"

	"agentflow/internal/plural"
)

// RecalledWords counts the kinds of memory in front of a task or a prompt: "2 facts, 1 entry, 310 tokens".
func RecalledWords(facts, files, entries, tokens int) string {
	var parts []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{facts, "fact"}, {files, "file"}, {entries, "entry"}, {tokens, "token"}} {
		if kind.n > 0 {
			parts = append(parts, plural.Count(kind.n, kind.noun))
		}
	}
	return strings.Join(parts, ", ")
}
