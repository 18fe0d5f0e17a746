package markdown

import (
	"strings"

	"agentflow/memory/internal/outline"
)

// Passages reads the lines of one entry.
func Passages(l outline.Lines) []Passage {
	comment, f := commentOf(l)
	if isV2(f) {
		start := 0
		if comment > 0 && isHeading(l.Line(0), true) {
			start = 1
		}
		return readPassages2(l, start, comment, f)
	}
	return readPassages(l, comment, l.Count(), f)
}

// commentOf returns the line with the comment of the entry in l, and its fields.
func commentOf(l outline.Lines) (int, fields) {
	for i := range l.Count() {
		if f, ok := entryComment(l.Line(i)); ok {
			return i, f
		}
	}
	return 0, nil
}

// placePassages sets Under of the facts of an entry, from the text that a person put above them: a
// section that is not ours, or a line that introduces the list.
func placePassages(list []Passage) {
	lead := ""
	for i, p := range list {
		switch {
		case p.kind == kindExtra && !strings.HasPrefix(p.Text, sectionPrefix) && (LeadsOn(p.Text) || isLabel(p.Text)):
			lead = leadText(p.Text)
			continue
		case p.kind != kindFact:
			lead = ""
			continue
		}
		var under []string
		for _, above := range []string{p.Section, lead} {
			if !outline.Plain(above) {
				under = append(under, above)
			}
		}
		list[i].fact.Under = placed(*p.fact, under)
	}
}
