package describe

import (
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// ReadableLine is a line of Markdown of memory, as people read it.
type ReadableLine struct {
	Text string
	ID   string // of the fact whose text the line begins, or ends; else empty
}

// Readable are the lines of Markdown of memory without the comments that only
// programs read, and the blank line behind that of an entry.
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
