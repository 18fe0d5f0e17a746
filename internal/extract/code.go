package extract

import (
	"sort"
	"strings"
)

type span struct{ from, to int }

// codeSpans returns the parts that Markdown shows as code: fences and inline backticks. A fence
// without an end counts as a typing error and hides nothing, because losing a fact is worse
// than saving a quoted rule.
func codeSpans(text string) []span {
	var spans []span
	fence, start, plain, pos := "", 0, 0, 0
	for line := range strings.Lines(text) {
		mark := fenceMark(line)
		switch {
		case fence == "" && mark != "":
			spans = inlineSpans(spans, text, plain, pos)
			fence, start, plain = mark, pos, pos+len(line)
		case fence != "" && mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(line, " \t\r\n"+fence[:1]) == "":
			spans = append(spans, span{start, pos + len(line)})
			fence, plain = "", pos+len(line)
		}
		pos += len(line)
	}
	return inlineSpans(spans, text, plain, len(text))
}

// fenceMark returns the three or more ` or ~ at the beginning of a line.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " \t>")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 || line[0] == '`' && strings.Contains(line[n:], "`") {
		return ""
	}
	return line[:n]
}

// inlineSpans adds the parts between equal numbers of backticks in text[from:to], within a
// paragraph.
func inlineSpans(spans []span, text string, from, to int) []span {
	for from < to {
		i := strings.IndexByte(text[from:to], '`')
		if i < 0 {
			break
		}
		open := from + i
		n := ticks(text[open:to])
		end := closing(text[open+n:to], n)
		if end < 0 {
			from = open + n
			continue
		}
		from = open + n + end + n
		spans = append(spans, span{open, from})
	}
	return spans
}

func ticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closing returns the offset in s of exactly n backticks before the first empty line, or -1.
func closing(s string, n int) int {
	if i := strings.Index(s, "\n\n"); i >= 0 {
		s = s[:i]
	}
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := ticks(s[at:])
		if run == n {
			return at
		}
		at += run
	}
}

// inSpan reports whether at is in one of the spans, which are ordered.
func inSpan(spans []span, at int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to > at })
	return i < len(spans) && spans[i].from <= at
}
