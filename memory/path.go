package memory

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// QuotePath writes a path as git does with core.quotePath=false: unchanged, or in double quotes
// with C escapes if it holds control characters, quotes, backslashes or bytes that are not UTF-8.
// Unlike git, it also quotes a path that would be ambiguous in a change line or in Markdown: with
// blanks at the ends, " (", ": ", an arrow, '<', or characters that reorder or hide text.
func QuotePath(p string) string {
	if plainPath(p) {
		return p
	}
	return quoted(p)
}

// QuoteListed writes a path as QuotePath does, and also quotes it if it would be
// ambiguous in a list: if it holds a comma or " +", or begins with "and ".
func QuoteListed(p string) string {
	if strings.Contains(p, ",") || strings.Contains(p, " +") || strings.HasPrefix(p, "and ") {
		return quoted(p)
	}
	return QuotePath(p)
}

// quoted returns p in double quotes.
func quoted(p string) string {
	var b strings.Builder
	b.Grow(len(p) + 8)
	b.WriteByte('"')
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if n == 1 {
			quoteByte(&b, p[i])
		} else if Unsafe(r) {
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

// plainPath reports whether p needs no quotes.
func plainPath(p string) bool {
	if p == "" || p[0] == ' ' || p[len(p)-1] == ' ' || p[0] == '(' ||
		strings.Contains(p, " (") || strings.Contains(p, ": ") || strings.Contains(p, "←") {
		return false
	}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' || r == 0x7f || r == '"' || r == '\\' || r == '<' || Unsafe(r) {
			return false
		}
		i += n
	}
	return true
}

// The C escapes that git uses: each byte of escapedBytes is written as the letter at its place in
// escapeLetters.
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

// UnquotePath reads the quoted path that s begins with, as QuotePath or git quotes it, and returns
// its length, including the quotes. It reports false if the path is cut short or has an unknown
// escape.
func UnquotePath(s string) (path string, n int, ok bool) {
	quoted, err := strconv.QuotedPrefix(s)
	if err == nil {
		path, err = strconv.Unquote(quoted)
	}
	return path, len(quoted), err == nil
}

// Unsafe reports whether a character beyond ASCII is never written to a file unescaped: C1
// controls, line separators, the byte order mark, characters that reorder the text around them, and
// tags, which spell ASCII that only a machine reads. Other invisible characters are stored
// unescaped.
func Unsafe(r rune) bool {
	return 0x80 <= r && r <= 0x9F || r == 0x2028 || r == 0x2029 || r == 0xFEFF ||
		r == 0x061C || r == 0x200E || r == 0x200F || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 || 0xE0000 <= r && r <= 0xE007F
}
