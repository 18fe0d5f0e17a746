package markdown

import (
	"strings"
)

// Inert is text in which nothing reads as an entry or a fact of ours: what
// begins such a comment gets a backslash before it. It is for text whose
// writer must not say who wrote what: Parse finds no id in it. Inert(Inert(s))
// is Inert(s).
func Inert(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, commentOpen)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if inside, _, _ := strings.Cut(rest, "\n"); strings.Contains(inside, "=") && !strings.HasSuffix(before, `\`) {
			b.WriteByte('\\')
		}
		b.WriteString(commentOpen)
		s = rest
	}
}
