package git

import (
	"strings"
	"unicode"
)

// OneLine makes text from a repository safe to show on one line: valid UTF-8,
// runs of space and control characters become one space.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Lines ends each text with a line feed, as git reads lists.
func Lines(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return strings.Join(ids, "\n") + "\n"
}

// SplitZ takes records apart that each end in NUL.
func SplitZ(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}
