// Package outline classifies the lines of Markdown: headings, code, comments, tables, front matter,
// and the properties that a person's text states. All other packages use it to decide whether a
// line is code or a heading, so that they agree. It does not know entries and facts. All functions
// take time linear in the text.
package outline

import (
	"bytes"
	"strings"
	"unicode"
)

// Lines is a text split at its newlines. Line numbers count from 0 in this package, and from 1
// outside of it.
type Lines struct {
	Src   string
	Start []int // offset of each line, and at the end the length of Src
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

// Count returns the number of lines.
func (l Lines) Count() int { return len(l.Start) - 1 }

// Line returns line i without its line ending, LF or CRLF.
func (l Lines) Line(i int) string {
	s := l.Src[l.Start[i]:l.Start[i+1]]
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// Blank reports whether line i holds only blanks.
func (l Lines) Blank(i int) bool { return strings.Trim(l.Line(i), " \t") == "" }

// NextText returns the first line in [i, end) that is not blank, or end.
func (l Lines) NextText(i, end int) int {
	for i < end && l.Blank(i) {
		i++
	}
	return i
}

// Indent counts the blanks at the beginning of a line. A tab counts as a whole level.
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

// Outdent removes up to n columns of blanks from the front of s.
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
	Text   string // after the marker
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

// NumberedItem reports whether a line is an item of an ordered list: "1. x" or "1) x".
func NumberedItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	n := len(line) - len(rest)
	return n > 0 && n < 10 && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
}

// IsRule reports whether a line is a rule between texts.
func IsRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "- ") == "" || strings.Trim(line, "* ") == "" || strings.Trim(line, "_ ") == "")
}

// IsEnd reports whether a line ends an entry, or front matter.
func IsEnd(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// byteOrderMark may begin a file.
const byteOrderMark = "\uFEFF"

const (
	commentOpen  = "<!--"
	commentClose = "-->"
)

// Visible returns the line without its complete HTML comments. Text inside backticks is code.
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

// HasWord reports whether a text has a letter or a digit.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func asciiWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
