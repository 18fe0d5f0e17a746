package memory

import (
	"strings"
	"unicode/utf8"

	"agentflow/internal/invisible"
)

// maxTitle is how many runes of a task make a title, the ellipsis included.
const maxTitle = 80

// Title is the first line of a task that says something, on one line and cut
// to 80 runes.
func Title(task string) string {
	for line := range strings.SplitSeq(task, "\n") {
		line = strings.Join(strings.Fields(Clean(line)), " ")
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= maxTitle {
			return line
		}
		runes := []rune(line)
		return strings.TrimRight(string(runes[:maxTitle-1]), " ") + "…"
	}
	return ""
}

// Clean makes text safe to show and to put in a prompt: terminal escape
// sequences, control characters other than newline and tab, and characters
// that reorder or hide text are taken out; bytes that are not UTF-8 become
// U+FFFD. Clean(Clean(s)) is Clean(s).
func Clean(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := invisible.Escape(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !invisible.Rune(r) {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func clean(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if invisible.Rune(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}
