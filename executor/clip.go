package executor

import (
	"strings"
	"unicode/utf8"
)

// clipTail keeps the end of text, at most max runes, from the start of a line
// or else of a word.
func clipTail(text string, max int) string {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n <= max {
		return text
	}
	cut := string([]rune(text)[n-max+1:])
	for _, ends := range []string{"\n", " \t"} {
		if at := strings.IndexAny(cut, ends); at >= 0 && at < len(cut)/2 {
			return "…" + strings.TrimLeft(cut[at:], " \n\t")
		}
	}
	return "…" + cut
}

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
