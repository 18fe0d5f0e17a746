package redact

import (
	"cmp"
	"slices"
	"strings"
)

// span is a secret: the bytes from start up to end.
type span struct {
	start, end int
	kind       string
}

const markOpen = "[redacted: "

// Marks counts the marks in a text.
func Marks(text string) int { return strings.Count(text, markOpen) }

// replace puts a mark in place of every span. A mark of an earlier pass is
// left as it is, and the line breaks inside a span stay.
func replace(s string, found []span) string {
	found = merge(found)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	at, marks := 0, mark().FindAllStringIndex(s, -1)
	for _, f := range found {
		for len(marks) > 0 && marks[0][1] <= f.start {
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
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.kind, b.kind))
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

// mark is a secret that an earlier pass has replaced.
var mark = lazily(`\[redacted: [a-z0-9 -]{0,64}\]`)

// outsideMarks returns the parts of f that are not marks already. marks are those
// of s that end after f begins, in order.
func outsideMarks(s string, f span, marks [][]int) []span {
	var parts []span
	at := f.start
	for _, m := range marks {
		if m[0] >= f.end {
			break
		}
		parts = append(parts, span{at, m[0], f.kind})
		at = m[1]
	}
	parts = append(parts, span{at, f.end, f.kind})
	return slices.DeleteFunc(parts, func(p span) bool { return p.start >= p.end || strings.TrimSpace(s[p.start:p.end]) == "" })
}

// writeBreaks writes the line breaks of s alone.
func writeBreaks(b *strings.Builder, s string) {
	for i := strings.IndexByte(s, '\n'); i >= 0; i = strings.IndexByte(s, '\n') {
		if i > 0 && s[i-1] == '\r' {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		s = s[i+1:]
	}
}
