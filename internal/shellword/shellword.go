// Package shellword writes texts as words of a shell's command line.
package shellword

import (
	"strings"
	"unicode"
)

// Quote returns a text as one word. A word that no shell changes has no quotes.
func Quote(text string) string {
	if text != "" && text[0] != '~' && strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isPlain reports whether no shell gives a character a special meaning.
func isPlain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./+,:@%=~", r)
}

// Join returns words as they are typed in one line.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
