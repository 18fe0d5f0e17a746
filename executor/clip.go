package executor

import (
	"strings"
	"unicode/utf8"
)

// clip cuts text to at most max runes, saying with … that it did.
func clip(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return string([]rune(text)[:max-1]) + "…"
}

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

// clipBytes cuts text to at most max bytes without cutting a rune.
func clipBytes(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}
