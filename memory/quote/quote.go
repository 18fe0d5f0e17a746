// Package quote prepares text that others chose for a model: text of memory, names of people, files
// and branches, titles, messages of errors.
//
// Everything that AgentFlow sends to a model follows one rule: only AgentFlow's own words are
// outside of quotes. A name or a message is in "…" on the line that mentions it, and a text of
// several lines has "> " in front of each. Quoted text is bounded. It holds no invisible character,
// no end of a line, and no tag by which an agent separates its user's words from others (see
// Defuse).
//
// Not guaranteed: that a model heeds the quotes.
//
// Every door quotes in this way all text that others chose and a model reads: text of memory,
// names, titles, paths and messages of errors. Package internal/testing/hostiletest tests it at
// each door.
package quote

import (
	"strings"
	"unicode"

	"agentflow/memory"
)

// The maximum number of runes of each that a model is shown.
const (
	maxName = 80
	maxText = 600
	maxPath = 200
)

// Mark begins every line of a quoted text.
const Mark = "> "

// Name quotes a name or a title.
func Name(s string) string { return quoted(s, maxName) }

// Text quotes a text that may be longer than a name, such as headings or the message of an error,
// on one line.
func Text(s string) string { return quoted(s, maxText) }

func quoted(s string, most int) string {
	return `"` + strings.ReplaceAll(oneLine(s, most), `"`, "'") + `"`
}

// Path quotes the path of a file, or another identifier, unless it is plain and was not chosen by
// other people. Words with hyphens between them are plain, so the names that people give their
// clones are always quoted.
func Path(path string) string { return PathWithin(path, maxPath) }

// PathWithin is Path with another bound, for a path that the model must be able to name completely.
func PathWithin(path string, most int) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/:@+-", r))
	}
	if path != "" && !memory.IsOthers(path) && len(path) <= most && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return quoted(path, most)
}

// Block quotes each line of a text.
func Block(text string) string {
	return Mark + strings.ReplaceAll(Safe(text), "\n", "\n"+Mark)
}

// Problem quotes the message of an error, and appends the hint in AgentFlow's words, if there is
// one.
func Problem(message, hint string) string {
	text := Text(strings.TrimSuffix(message, "."))
	if hint == "" {
		return text
	}
	return text + ". " + strings.ToUpper(hint[:1]) + hint[1:]
}

// Line returns a message that mixes AgentFlow's words with others, bounded and on one line, without
// quotes. It is for readers that get only this message.
func Line(s string) string { return oneLine(s, maxText) }

// oneLine returns the beginning of a text, on one line.
func oneLine(s string, most int) string { return memory.Head(Inline(s), most) }

// Inline returns a text on one line, without tags.
func Inline(s string) string {
	return Defuse(strings.Join(strings.Fields(strings.Join(Lines(s), " ")), " "))
}

// Safe returns a text without invisible characters and without tags.
func Safe(text string) string { return Defuse(memory.Clean(text)) }

// separators replaces the characters besides LF that some readers take for the end of a line. A
// quoted line must not hold one.
var separators = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Lines splits a text at every kind of line end, and cleans the lines. Tags stay.
func Lines(s string) []string {
	s = separators.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(memory.Clean(l), unicode.IsSpace)
	}
	return lines
}
