package prompt

import (
	"strings"
	"unicode"

	"agentflow/memory"
)

// How many runes of each a model is shown.
const (
	maxName    = 80
	maxHeading = 600
	maxPath    = 200
)

// Name is a name that somebody else chose, such as an author's, as it stands among
// AgentFlow's own words: on one line, short, in quotes that nothing in it ends.
func Name(s string) string { return quotedName(s, maxName) }

// Heading is a heading, or several, as they stand among AgentFlow's own words.
func Heading(s string) string { return quotedName(s, maxHeading) }

func quotedName(s string, most int) string {
	return `"` + strings.ReplaceAll(memory.Head(inline(s), most), `"`, "'") + `"`
}

// PathName is the name of a file as it stands among AgentFlow's own words. One that
// could be read as words is quoted.
func PathName(path string) string {
	line := inline(path)
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/:@+-", r))
	}
	if line != "" && len(line) <= maxPath && strings.IndexFunc(line, func(r rune) bool { return !plain(r) }) < 0 {
		return line
	}
	return quotedName(path, maxPath)
}

// Quoted is a text as it stands among AgentFlow's own words: each line of it behind
// "> ", without what a reader could take for a tag.
func Quoted(text string) string {
	return quote + strings.ReplaceAll(defuse(memory.Clean(text)), "\n", "\n"+quote)
}
