package extract

import (
	"strings"
	"unicode"
)

// folded is a text's words in lower case, without punctuation around them.
func folded(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`*()[]{}<>,;:!?", r)
	})
	for i, w := range fields {
		fields[i] = strings.Trim(w, ".-")
	}
	return strings.Join(fields, " ")
}

// gram is how many words in a row are no chance, and copied the share of a
// text's rows that makes it a copy.
const (
	gram   = 4
	copied = 0.6
)

// source is a text that is not to be learnt again.
type source struct {
	text  string // folded
	grams map[string]bool
}

func newSource(text string) source {
	s := source{text: folded(text), grams: map[string]bool{}}
	for _, g := range grams(s.text) {
		s.grams[g] = true
	}
	return s
}

// holds says whether a text stands in the source, whole or in large parts.
func (s source) holds(text string) bool {
	text = folded(text)
	if text != "" && strings.Contains(s.text, text) {
		return true
	}
	list := grams(text)
	known := 0
	for _, g := range list {
		if s.grams[g] {
			known++
		}
	}
	return len(list) > 0 && float64(known) >= copied*float64(len(list))
}

// grams are a folded text's rows of words.
func grams(text string) []string {
	fields := strings.Fields(text)
	var out []string
	for i := range max(0, len(fields)-gram+1) {
		out = append(out, strings.Join(fields[i:i+gram], " "))
	}
	return out
}
