package memory

import (
	"strings"
	"unicode/utf8"
)

// MaxSummary is how many runes of what an agent said last an entry keeps.
const MaxSummary = 1200

// Head keeps the beginning of text, at most limit runes, cut at a word with …
// in the place of what is missing. Space around it goes.
func Head(text string, limit int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := string([]rune(text)[:limit-1])
	if at := strings.LastIndexAny(cut, " \n\t"); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " \n\t") + "…"
}
