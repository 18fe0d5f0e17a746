package markdown

import "strings"

// Inert returns text in which nothing reads as an entry or a fact of ours: the beginning of such a
// comment gets a backslash before it. It is for text from a writer that must not make claims about
// authors: Parse finds no id in it. Inert(Inert(s)) is Inert(s).
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
