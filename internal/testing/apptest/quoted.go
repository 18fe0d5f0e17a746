package apptest

import (
	"strings"
	"testing"
)

// CheckQuoted checks that text has so many lines, that word is only between quotation marks in
// them, and that they are short and have no control characters.
func CheckQuoted(t testing.TB, text, word string, lines int) {
	t.Helper()
	list := strings.Split(strings.TrimSpace(text), "\n")
	if len(list) != lines {
		t.Errorf("%d lines, want %d", len(list), lines)
	}
	for _, line := range list {
		outside := ""
		for i, part := range strings.Split(line, `"`) {
			if i%2 == 0 {
				outside += part
			}
		}
		if strings.Contains(outside, word) || strings.ContainsAny(line, "\x1b\r\u2028\u009b") || len(line) > 1000 {
			t.Errorf("%q", line)
		}
	}
}
