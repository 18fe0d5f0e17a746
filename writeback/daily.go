package writeback

import (
	"bytes"

	"agentflow/memory"
)

// feedbackHead begins a new feedback file.
const feedbackHead = `# Feedback

What a run was shown and did not need: it ranks lower for tasks like that one. Take a line out to take it back.

`

// joint is what has to stand between a file's contents and the entry that
// comes after them: a new daily file gets its heading, else there is one
// blank line.
func joint(content []byte, name string) string {
	switch {
	case len(content) == 0:
		if _, ok := memory.DayOf(name); ok {
			return "# " + memory.FileTitle(name) + "\n\n"
		}
		if name == memory.FeedbackFile {
			return feedbackHead
		}
		return ""
	case bytes.HasSuffix(content, []byte("\n\n")), bytes.HasSuffix(content, []byte("\n\r\n")):
		return ""
	case content[len(content)-1] == '\n':
		if name == memory.FeedbackFile {
			return "" // bullets of one list
		}
		return "\n"
	}
	return "\n\n"
}
