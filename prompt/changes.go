package prompt

import (
	"strings"

	"agentflow/memory/markdown"
)

// changedPath is the path of a line of a list of changes; empty for another line.
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
