package extract

import (
	"regexp"
	"strings"
	"sync"

	"agentflow/internal/words"
)

// gram is how many words in a row are no chance, and copied the share of a
// text's rows that makes it a copy.
const (
	gram   = 4
	copied = 0.6
)

// source is a text that is not to be learnt again.
type source struct {
	text  string // in the form words.Plain
	grams map[string]bool
	exact map[string]bool
}

func newSource(text string) source {
	s := source{text: words.Plain(text), grams: map[string]bool{}, exact: exact(text)}
	for _, g := range grams(s.text) {
		s.grams[g] = true
	}
	return s
}

// quotes says whether a text stands in the source as it is.
func (s source) quotes(text string) bool {
	text = words.Plain(text)
	return text != "" && strings.Contains(s.text, text)
}

// holds says whether a text stands in the source, whole or in large parts. One
// that names what the source does not, or denies something, says more than
// the source does.
func (s source) holds(text string) bool {
	if s.quotes(text) {
		return true
	}
	for t := range exact(text) {
		if !s.exact[t] {
			return false
		}
	}
	text = words.Plain(text)
	if denies().MatchString(text) {
		return false
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

var denies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:not|no|never|none|neither|nor|without|cannot|longer)\b|n['’]t\b`)
})

// grams are the rows of words.
func grams(text string) []string {
	fields := strings.Fields(text)
	var out []string
	for i := range max(0, len(fields)-gram+1) {
		out = append(out, strings.Join(fields[i:i+gram], " "))
	}
	return out
}
