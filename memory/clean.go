package memory

import (
	"strings"
	"unicode/utf8"
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
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !hidden(r) {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func clean(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if hidden(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || unsafeRune(r) || zeroWidth(r)
}

// escapeLen is the length of the escape sequence (ECMA-48) that s begins
// with. A sequence never reaches beyond its line.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		i := 2
		for i < len(s) && 0x20 <= s[i] && s[i] <= 0x3f {
			i++
		}
		if i < len(s) && 0x40 <= s[i] && s[i] <= 0x7e {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_': // a string, up to BEL or ESC \
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return 2
	}
	if 0x20 <= s[1] && s[1] <= 0x2f && len(s) > 2 {
		return 3
	}
	if 0x30 <= s[1] && s[1] <= 0x7e {
		return 2
	}
	return 1
}
