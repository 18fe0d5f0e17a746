package describe

import (
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// ReadableLine is a line of Markdown of memory for people.
type ReadableLine struct {
	Text string
	ID   string // of the fact with a text that begins or ends in the line; empty for other lines
}

// Readable returns the lines of Markdown of memory without the comments that only programs
// read, and without the blank line after an entry's comment.
func Readable(text string) (lines []ReadableLine) {
	hidden := false
	for line := range strings.SplitSeq(strings.TrimRight(memory.Clean(text), "\n"), "\n") {
		line, id, entry := markdown.ReadableLine(line)
		if entry || hidden && line == "" {
			hidden = entry
			continue
		}
		hidden = false
		lines = append(lines, ReadableLine{line, id})
	}
	return lines
}
