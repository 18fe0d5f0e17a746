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

const (
	markOpen    = "[redacted: "
	markLongest = 64 // bytes of a kind
)

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
	at := 0
	for _, f := range found {
		for _, p := range outsideMarks(s, f) {
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

// outsideMarks returns the parts of f that are not marks already.
func outsideMarks(s string, f span) []span {
	var parts []span
	at := f.start
	// A mark that begins before the span may reach into it.
	from := max(0, f.start-markLongest-len(markOpen)-1)
	for from < f.end {
		i := strings.Index(s[from:min(len(s), f.end+len(markOpen))], markOpen)
		if i < 0 {
			break
		}
		start := from + i
		end := markEnd(s, start)
		if end < 0 || end <= f.start {
			from = start + 1
			continue
		}
		if start >= f.end {
			break
		}
		if start > at {
			parts = append(parts, span{at, start, f.kind})
		}
		at, from = max(at, end), end
	}
	if at < f.end {
		parts = append(parts, span{at, f.end, f.kind})
	}
	return slices.DeleteFunc(parts, func(p span) bool { return strings.TrimSpace(s[p.start:p.end]) == "" })
}

// markEnd returns the end of the mark that starts at i, or -1.
func markEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], markOpen) {
		return -1
	}
	for j := i + len(markOpen); j < len(s) && j-i <= len(markOpen)+markLongest; j++ {
		switch c := s[j]; {
		case c == ']':
			return j + 1
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == ' ':
		default:
			return -1
		}
	}
	return -1
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
