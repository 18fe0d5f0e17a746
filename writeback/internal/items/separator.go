package items

import (
	"bytes"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// FeedbackHead begins a new feedback file.
const FeedbackHead = `# Feedback

What a run was shown and did not need: it ranks lower for tasks like that one. Take a line out to take it back.

`

// Separator returns the text between a file's contents and the entry that is appended: the heading
// of a new daily file, else one blank line.
func Separator(content []byte, name string, text []byte) string {
	blank := blankLine(content, name)
	switch {
	case !markdown.IsNote(text):
		return blank
	case blank == "\n" && markdown.EndsWithNote(content):
		return ""
	}
	return blank + markdown.NotesHeading + "\n\n"
}

// blankLine returns the separator between content and the text after it, or the heading of a new
// file.
func blankLine(content []byte, name string) string {
	switch {
	case len(content) == 0:
		if _, ok := memory.DayOf(name); ok {
			return "# " + memory.FileTitle(name) + "\n\n"
		}
		if name == memory.FeedbackFile {
			return FeedbackHead
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
