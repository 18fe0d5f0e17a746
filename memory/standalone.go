package memory

import (
	"strings"
	"unicode"
)

// StandsAlone says whether a note says something by itself, so that it can be
// a fact: a sentence or an item of a list, of two words or more. Code and
// tables do not, nor does a line that only leads to what follows it.
func StandsAlone(text string) bool {
	text = strings.TrimSpace(text)
	if LeadsOn(text) {
		return false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, fence := fenceOf(line, 0); fence || strings.HasPrefix(line, "|") {
			return false
		}
	}
	words := 0
	for _, w := range strings.Fields(text) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			words++
		}
	}
	return words > 1
}

// LeadsOn says whether a text only leads to what follows it: "Key points:".
func LeadsOn(text string) bool {
	text = strings.TrimRight(text, " \t\n*_")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}
