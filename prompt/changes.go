package prompt

import (
	"strings"

	"agentflow/memory/markdown"
)

// changedPath returns the path in a line of a list of changes; empty for another line.
func changedPath(line string) string {
	text, ok := strings.CutPrefix(line, "- ")
	if !ok {
		return ""
	}
	c, ok := markdown.ParseChange(text)
	if !ok {
		return ""
	}
	return c.Path
}
