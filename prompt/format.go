package prompt

import (
	"strings"

	"agentflow/memory"
)

// Format says how the pieces of a block are written.
type Format string

// The formats.
const (
	Compact    Format = "compact"    // what tells an agent something, and no more; the zero value is the same
	Detailed   Format = "detailed"   // entries with their own sections and labels, facts with what is known of them
	Structured Format = "structured" // YAML: a mapping for each entry, a list of facts
)

// lines are a hit's text in the format, not quoted yet.
func (f Format) lines(h memory.Hit, text string) []string {
	switch f {
	case Detailed:
		return detailed(h, splitLines(text))
	case Structured:
		return structured(h, text)
	}
	return compact(h, splitLines(text))
}

// fact is a fact in the format, not quoted yet.
func (f Format) fact(k Fact) []string {
	switch f {
	case Detailed:
		return bulleted(k.Text + metadata(k.Fact))
	case Structured:
		return structuredFact(k)
	}
	text := k.Text
	if ns := inline(k.Namespace); strings.Contains(ns, "/") { // it holds here, and not everywhere
		text = "(" + ns + ") " + text
	}
	return bulleted(text)
}

// bulleted are the lines of a text as an item of a list.
func bulleted(text string) []string {
	lines := splitLines(text)
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
func detailed(h memory.Hit, lines []string) []string {
	var kept []string
	var code fence
	comment := false
	for i, l := range lines {
		if code.holds(l) {
			kept = append(kept, l)
			continue
		}
		l, comment = dropComments(l, comment, lines[i+1:])
		l = strings.TrimRight(l, " \t")
		if l == "" && (len(kept) == 0 || kept[len(kept)-1] == "") || h.Kind != "" && l == "---" {
			continue
		}
		kept = append(kept, l)
	}
	for len(kept) > 0 && kept[len(kept)-1] == "" {
		kept = kept[:len(kept)-1]
	}
	if heading := inline(h.Heading); heading != "" && len(kept) > 0 && !strings.HasPrefix(kept[0], "#") {
		kept = append([]string{heading}, kept...)
	}
	return kept
}
