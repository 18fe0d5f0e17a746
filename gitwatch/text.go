package gitwatch

import (
	"strings"
	"unicode"
)

// oneLine makes text from a repository safe to show on one line: valid UTF-8,
// runs of space and control characters become one space.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// subject is the first line of a commit message, as git log --format=%s gives
// it: the lines of the first paragraph joined.
func subject(message string) string {
	message = strings.TrimLeft(message, "\r\n\t ")
	for i, line := range strings.Split(message, "\n") {
		if strings.TrimSpace(line) == "" {
			return oneLine(strings.Join(strings.Split(message, "\n")[:i], " "))
		}
	}
	return oneLine(message)
}
