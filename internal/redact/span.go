package redact

import (
	"slices"
	"strings"
)

// span is the position of a secret: the bytes from start up to end.
type span struct {
	start, end int
	kind       string
}

const markOpen = "[redacted: "

// Marks returns the number of marks in a text.
func Marks(text string) int { return strings.Count(text, markOpen) }

// replace replaces every span by a mark. It keeps marks of an earlier pass, and
// the line breaks within a span.
func replace(s string, found []span) string {
	found = merge(found)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	at, marks := 0, marksIn(s)
	for _, f := range found {
		for len(marks) > 0 && marks[0].end <= f.start {
			marks = marks[1:]
		}
		for _, p := range outsideMarks(s, f, marks) {
			b.WriteString(s[at:p.start])
			b.WriteString(markOpen + p.kind + "]")
			writeBreaks(&b, s[p.start:p.end])
			at = p.end
		}
	}
	b.WriteString(s[at:])
	return b.String()
}

// merge sorts spans and joins those that overlap or touch.
func merge(found []span) []span {
	slices.SortFunc(found, func(a, b span) int {
		switch {
		case a.start != b.start:
			return a.start - b.start
		case a.end != b.end:
			return b.end - a.end
		}
		return strings.Compare(a.kind, b.kind)
	})
	var out []span
	for _, f := range found {
		if f.end <= f.start {
			continue
		}
		if n := len(out) - 1; n >= 0 && f.start <= out[n].end {
			out[n].end = max(out[n].end, f.end)
			if out[n].kind == genericRule {
				out[n].kind = f.kind
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// marksIn returns the marks of an earlier pass, in order. The kind in a mark
// has at most 64 lower-case letters, digits, blanks and dashes.
func marksIn(s string) (marks []region) {
	const longest = 64
	for at := 0; ; {
		i := strings.Index(s[at:], markOpen)
		if i < 0 {
			return marks
		}
		start := at + i
		at = start + len(markOpen)
		end := at
		for end < len(s) && end-at < longest && (isLower(s[end]) || isDigit(s[end]) || s[end] == ' ' || s[end] == '-') {
			end++
		}
		if end < len(s) && s[end] == ']' {
			at = end + 1
			marks = append(marks, region{start, at})
		}
	}
}

// outsideMarks returns the parts of f that are outside marks. marks are the
// marks of s that end after f begins, in order.
func outsideMarks(s string, f span, marks []region) []span {
	var parts []span
	at := f.start
	for _, m := range marks {
		if m.start >= f.end {
			break
		}
		parts = append(parts, span{at, m.start, f.kind})
		at = m.end
	}
	parts = append(parts, span{at, f.end, f.kind})
	return slices.DeleteFunc(parts, func(p span) bool { return p.start >= p.end || strings.TrimSpace(s[p.start:p.end]) == "" })
}

// writeBreaks writes only the line breaks of s.
func writeBreaks(b *strings.Builder, s string) {
	for i := strings.IndexByte(s, '\n'); i >= 0; i = strings.IndexByte(s, '\n') {
		if i > 0 && s[i-1] == '\r' {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		s = s[i+1:]
	}
}
