package git

import "strings"

// escapes are the letters that stand for a byte behind a backslash.
var escapes = map[byte]byte{
	'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, '"': '"', '\\': '\\',
}

// Unquote reads the name in quotes that a text begins with, as git writes
// names with odd bytes, and returns what follows it. Nothing is quoted where
// git would not read it either.
func Unquote(text string) (name, rest string, quoted bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			c, n := escaped(text[i+1:])
			if n == 0 {
				return "", text, false
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(text[i])
		}
	}
	return "", text, false
}

// escaped is the byte that stands behind a backslash, and how many bytes it
// takes there: none when it stands for nothing.
func escaped(text string) (c byte, n int) {
	if text == "" {
		return 0, 0
	}
	if c, ok := escapes[text[0]]; ok {
		return c, 1
	}
	if len(text) < 3 || text[0] > '3' {
		return 0, 0
	}
	for _, digit := range []byte(text[:3]) {
		if digit < '0' || digit > '7' {
			return 0, 0
		}
		c = c<<3 | (digit - '0')
	}
	return c, 3
}
