package prompt

import (
	"strings"

	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// Format is the form of the pieces of a block.
type Format string

// The formats.
const (
	Compact    Format = "compact"    // only text that informs an agent; the zero value is the same
	Detailed   Format = "detailed"   // entries with their own sections and labels, facts with all known properties
	Structured Format = "structured" // YAML: a mapping for each entry, a list of facts
)

// lines returns a hit's text in the format, not quoted yet.
func (f Format) lines(h retrieval.Hit, text string) []string {
	switch f {
	case Detailed:
		return detailed(h, quote.Lines(text))
	case Structured:
		return structured(h, text)
	}
	return compact(h, quote.Lines(text))
}

// fact returns a fact in the format, not quoted yet.
func (f Format) fact(k Fact) []string {
	switch f {
	case Detailed:
		return bulleted(k.Whole() + metadata(k.Fact))
	case Structured:
		return structuredFact(k)
	}
	text := k.Whole()
	if ns := k.Namespace; strings.Contains(ns, "/") { // it holds here, and not everywhere
		text = "(" + quote.Path(ns) + ") " + text
	}
	return bulleted(text)
}

// bulleted returns the lines of a text as an item of a list.
func bulleted(text string) []string {
	lines := quote.Lines(text)
	for i, l := range lines {
		if i == 0 {
			lines[i] = "- " + l
		} else if l != "" {
			lines[i] = "  " + l
		}
	}
	return lines
}

// detailed leaves comments and the rule at the end out of an entry's lines,
// and of several blank lines all but one.
func detailed(h retrieval.Hit, lines []string) []string {
	var list []string
	for _, l := range uncommented(lines) {
		if !l.code {
			l.text = strings.TrimRight(l.text, " \t")
			if l.text == "" && (len(list) == 0 || list[len(list)-1] == "") || h.Kind != "" && l.text == "---" {
				continue
			}
		}
		list = append(list, l.text)
	}
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	if heading := quote.Inline(h.Heading); heading != "" && len(list) > 0 && !strings.HasPrefix(list[0], "#") {
		return append([]string{heading}, list...)
	}
	return append(outer(h, list), list...)
}
