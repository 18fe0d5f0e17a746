package prompt

import (
	"strings"
	"unicode"

	"agentflow/memory"
)

// separators are the characters besides LF that some reader takes for the
// end of a line: a quoted line must not hold one.
var separators = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines splits recalled text at every kind of line end, and cleans the
// lines.
func splitLines(s string) []string {
	s = separators.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(memory.Clean(l), unicode.IsSpace)
	}
	return lines
}

// inline makes one line of a value that stands outside the quotes.
func inline(s string) string {
	return defuse(strings.Join(strings.Fields(strings.Join(splitLines(s), " ")), " "))
}

// defuse replaces the '<' of anything that reads like one of our tags, in
// whatever case and with whatever between the letters.
func defuse(s string) string {
	var b strings.Builder
	for i := strings.IndexByte(s, '<'); i >= 0; i = strings.IndexByte(s, '<') {
		b.WriteString(s[:i])
		s = s[i+1:]
		if isMarker(s) {
			b.WriteString("‹")
		} else {
			b.WriteByte('<')
		}
	}
	b.WriteString(s)
	return b.String()
}

// isMarker says whether the letters of what follows a '<' begin with a name
// of ours.
func isMarker(s string) bool {
	const look = 64 // bytes
	var letters []rune
	for i, r := range s {
		if i >= look || r == '<' || r == '>' {
			break
		}
		if unicode.IsLetter(r) {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	name := string(letters)
	return strings.HasPrefix(name, "savememory") || strings.HasPrefix(name, "agentflow")
}
