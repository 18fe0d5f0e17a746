package markdown

import (
	"strings"

	"agentflow/memory"
)

// PlainLine returns a line of a passage without escapes, without a fact's comment and, if whole is
// true, without the label that Format puts before a value.
func PlainLine(line string, whole bool) string {
	if whole {
		line = strings.TrimPrefix(line, "- ")
		for _, label := range []string{labelTask, labelThen, labelDenied, labelOf(line), factMark} {
			line = strings.TrimPrefix(line, label)
		}
	}
	return unescape(WithoutComment(strings.TrimSpace(line)))
}

// IsTemplate reports whether a line of an entry holds a value of its template
// that no search finds: "None", a bullet of the result or a remark. section is
// the heading above it.
func IsTemplate(section, line string) bool {
	switch section {
	case secSummary, secMemories:
		return false
	case secResult, secNotes:
		if strings.HasPrefix(line, "- "+labelNote) {
			return true
		}
	}
	return line == none || section == secResult && IsResult(line)
}

// IsResult reports whether a line is a bullet of the result of a run as Format
// writes it, as "- **Duration**: 12s". "- **Duration**: all night" is not.
func IsResult(line string) bool {
	text, bullet := strings.CutPrefix(line, "- ")
	return bullet && reading{&memory.Entry{}}.takeResult(text)
}

// SectionOf returns the section of an entry that a chunk with this heading begins in: "Result" for
// "2026-11-21 14:32 · Fix the login > Result".
func SectionOf(heading string) string {
	if i := strings.LastIndex(heading, " > "); i >= 0 && isSection(heading[i+3:]) {
		return heading[i+3:]
	}
	return secHead
}
