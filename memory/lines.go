package memory

import (
	"bytes"
	"strings"
)

// lines is a text split at its newlines. Line numbers count from 0 here and
// from 1 wherever they leave the package.
type lines struct {
	src   string
	start []int // offset of each line, and the length of src at the end
}

func splitLines(src []byte) lines {
	l := lines{src: string(src), start: make([]int, 0, bytes.Count(src, []byte{'\n'})+2)}
	l.start = append(l.start, 0)
	for at := 0; at < len(src); {
		i := strings.IndexByte(l.src[at:], '\n')
		if i < 0 {
			l.start = append(l.start, len(src))
			break
		}
		at += i + 1
		l.start = append(l.start, at)
	}
	return l
}

func (l lines) count() int { return len(l.start) - 1 }

// at is line i without its line ending, be it LF or CRLF.
func (l lines) at(i int) string {
	s := l.src[l.start[i]:l.start[i+1]]
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

func (l lines) blank(i int) bool { return strings.Trim(l.at(i), " \t") == "" }

// nextText is the first line in [i, end) that is not blank, or end.
func (l lines) nextText(i, end int) int {
	for i < end && l.blank(i) {
		i++
	}
	return i
}

// indentOf counts the blanks a line begins with; a tab is as good as a
// whole level.
func indentOf(s string) int {
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

// outdent takes up to n columns of blanks from the front of s.
func outdent(s string, n int) string {
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
