package memory

import (
	"strings"
	"unicode/utf8"
)

// QuotePath writes a path as git does with core.quotePath=false: as it
// stands, or in double quotes with C escapes when it holds control
// characters, quotes, backslashes or bytes that are not UTF-8. Beyond git it
// also quotes what would be ambiguous in a change line or in Markdown: blanks
// at the ends, " (", an arrow, '<', and characters that reorder or hide text.
func QuotePath(p string) string {
	if plainPath(p) {
		return p
	}
	var b strings.Builder
	b.Grow(len(p) + 8)
	b.WriteByte('"')
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if n == 1 {
			quoteByte(&b, p[i])
		} else if unsafeRune(r) {
			for j := range n {
				octal(&b, p[i+j])
			}
		} else {
			b.WriteString(p[i : i+n])
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}

// plainPath reports whether p can stand without quotes.
func plainPath(p string) bool {
	if p == "" || p[0] == ' ' || p[len(p)-1] == ' ' || p[0] == '(' ||
		strings.Contains(p, " (") || strings.Contains(p, "←") {
		return false
	}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' || r == 0x7f || r == '"' || r == '\\' || r == '<' || unsafeRune(r) {
			return false
		}
		i += n
	}
	return true
}

// letters are the C escapes that git uses, by the byte they stand for.
const (
	escapedBytes  = "\a\b\t\n\v\f\r\"\\"
	escapeLetters = `abtnvfr"\`
)

func quoteByte(b *strings.Builder, c byte) {
	if i := strings.IndexByte(escapedBytes, c); i >= 0 {
		b.WriteByte('\\')
		b.WriteByte(escapeLetters[i])
		return
	}
	if c < ' ' || c >= 0x7f || c == '<' {
		octal(b, c)
		return
	}
	b.WriteByte(c)
}

func octal(b *strings.Builder, c byte) {
	b.WriteByte('\\')
	b.WriteByte('0' + c>>6)
	b.WriteByte('0' + c>>3&7)
	b.WriteByte('0' + c&7)
}

// unquotePrefix reads the quoted path that s begins with, as QuotePath or git
// quotes it, and says how long it is, quotes included. It reports false for
// one that is cut short or has an escape that does not exist.
func unquotePrefix(s string) (path string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), i + 1, true
		case '\\':
			i++
			if i >= len(s) {
				return "", 0, false
			}
			if k := strings.IndexByte(escapeLetters, s[i]); k >= 0 {
				b.WriteByte(escapedBytes[k])
				continue
			}
			if i+2 >= len(s) || !isOctal(s[i], '3') || !isOctal(s[i+1], '7') || !isOctal(s[i+2], '7') {
				return "", 0, false
			}
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

func isOctal(c, highest byte) bool { return '0' <= c && c <= highest }
