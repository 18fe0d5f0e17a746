// Package outline says what the lines of Markdown are: which are headings, code,
// comments, tables and front matter, and what a person's text says of itself.
// Everything that asks whether a line is code or a heading asks here, so that
// the answers agree. It knows nothing of entries and facts. All of it takes
// time linear in the text.
package outline

import (
	"bytes"
	"strings"
	"unicode"
)

// Lines is a text split at its newlines. Line numbers count from 0 here and
// from 1 wherever they leave the package.
type Lines struct {
	Src   string
	Start []int // offset of each line, and the length of src at the end
}

// Split cuts a text into its lines.
func Split(src []byte) Lines {
	l := Lines{Src: string(src), Start: make([]int, 0, bytes.Count(src, []byte{'\n'})+2)}
	l.Start = append(l.Start, 0)
	for at := 0; at < len(src); {
		i := strings.IndexByte(l.Src[at:], '\n')
		if i < 0 {
			l.Start = append(l.Start, len(src))
			break
		}
		at += i + 1
		l.Start = append(l.Start, at)
	}
	return l
}

// Count is how many lines there are.
func (l Lines) Count() int { return len(l.Start) - 1 }

// Line is line i without its line ending, be it LF or CRLF.
func (l Lines) Line(i int) string {
	s := l.Src[l.Start[i]:l.Start[i+1]]
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// Blank reports a line of nothing but blanks.
func (l Lines) Blank(i int) bool { return strings.Trim(l.Line(i), " \t") == "" }

// NextText is the first line in [i, end) that is not blank, or end.
func (l Lines) NextText(i, end int) int {
	for i < end && l.Blank(i) {
		i++
	}
	return i
}

// Indent counts the blanks a line begins with; a tab is as good as a
// whole level.
func Indent(s string) int {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// Outdent takes up to n columns of blanks from the front of s.
func Outdent(s string, n int) string {
	for n > 0 && s != "" {
		switch {
		case s[0] == ' ':
			n--
		case s[0] == '\t':
			n -= 4
		default:
			return s
		}
		s = s[1:]
	}
	return s
}

// Bullet is the first line of a list item.
type Bullet struct {
	Indent int    // blanks before the marker
	Text   string // behind the marker
}

// BulletOf reads "- text", "* text" or "+ text".
func BulletOf(line string) (Bullet, bool) {
	body := strings.TrimLeft(line, " \t")
	if body == "" || strings.IndexByte("-*+", body[0]) < 0 {
		return Bullet{}, false
	}
	if len(body) > 1 && body[1] != ' ' && body[1] != '\t' {
		return Bullet{}, false
	}
	return Bullet{Indent(line[:len(line)-len(body)]), strings.TrimLeft(body[1:], " \t")}, true
}

// NumberedItem reports an item of an ordered list: "1. x" or "1) x".
func NumberedItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	n := len(line) - len(rest)
	return n > 0 && n < 10 && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
}

// IsRule reports a line that is drawn between texts.
func IsRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "- ") == "" || strings.Trim(line, "* ") == "" || strings.Trim(line, "_ ") == "")
}

// IsEnd reports the line that ends an entry, or front matter.
func IsEnd(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// byteOrderMark may begin a file.
const byteOrderMark = "\uFEFF"

const (
	commentOpen  = "<!--"
	commentClose = "-->"
)

// Visible is the line without the HTML comments that stand whole in it. What
// is inside backticks is code.
func Visible(line string) string {
	at := strings.Index(line, commentOpen)
	if at < 0 {
		return line
	}
	var b strings.Builder
	ticks := 0
	for at >= 0 {
		end := strings.Index(line[at:], commentClose)
		if end < 0 {
			break
		}
		end += at + len(commentClose)
		if ticks += strings.Count(line[:at], "`"); ticks%2 == 0 {
			b.WriteString(line[:at])
		} else {
			b.WriteString(line[:end])
		}
		line = line[end:]
		at = strings.Index(line, commentOpen)
	}
	return b.String() + line
}

// HasWord reports a text with a letter or a digit.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func asciiWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
