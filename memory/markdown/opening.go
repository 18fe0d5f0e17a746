package markdown

import (
	"slices"
	"strings"
)

// Opening returns the text to insert between text and bullets that are added to it, so
// that no heading or lead of a person's applies to them: nothing, a section, or a title
// that ends all sections. headed means that a heading of level two comes first anyway.
func Opening(text []byte, title string, headed bool) string {
	under := func(more string) bool {
		whole := append(slices.Clip(text), more+"- mark\n"...)
		return len(Parse(whole).Under("", strings.Count(string(whole), "\n"))) > 0
	}
	const section = "\n## Facts\n\n"
	switch {
	case under(section):
		return "\n# " + title + "\n\n"
	case headed || !under(""):
		return ""
	}
	return section
}
