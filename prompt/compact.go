package prompt

import (
	"iter"
	"slices"
	"strings"
	"time"

	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// compact removes lines of an entry that give an agent no information or repeat
// the entry's head: comments, rules, blank lines, empty sections
// and the labels of a run that went well. It removes nothing inside a code fence.
func compact(h retrieval.Hit, lines []string) []string {
	var list []string
	title := untimed(quote.Inline(h.Heading))
	skip := false // in a section without information
	for i, l := range uncommented(lines) {
		text := strings.TrimSpace(l.text)
		switch {
		case l.code:
			list = append(list, l.text)
			continue
		case text == "":
			continue
		case strings.HasPrefix(text, "#"):
			skip = h.Kind != "" && saysNothing(text, lines[i+1:])
		}
		if skip || rule(text) || h.Kind != "" && label(text, title, h) {
			continue
		}
		if heading, ok := strings.CutPrefix(text, "## "); ok && h.Kind != "" {
			title = untimed(heading) // first in any case
			continue
		}
		list = append(list, strings.TrimRight(l.text, " \t"))
	}
	if title != "" && len(list) == 0 && h.Kind == "" {
		return nil
	}
	if title != "" && (h.Kind != "" || !strings.HasPrefix(list[0], "#")) {
		return append([]string{title}, list...)
	}
	return append(outer(h, list), list...)
}

// outer returns the headings above the first ones of a piece of hand-written text,
// in one line, if they add anything to those.
func outer(h retrieval.Hit, lines []string) []string {
	path := strings.Split(quote.Inline(h.Heading), " > ")
	for _, l := range lines {
		if !strings.HasPrefix(l, "#") && l != "" || len(path) == 0 {
			break
		}
		if l != "" {
			path = path[:len(path)-1]
		}
	}
	if h.Kind != "" || !slices.ContainsFunc(path, func(heading string) bool { return !markdown.Plain(heading) }) {
		return nil
	}
	return []string{strings.Join(path, " > ")}
}

// untimed takes the date and time off an entry's heading: they are in the
// block already.
func untimed(heading string) string {
	const stamp = "2006-01-02 15:04"
	if t, rest, ok := strings.Cut(heading, " · "); ok {
		if _, err := time.Parse(stamp, t); err == nil {
			return rest
		}
	}
	if t, rest, ok := strings.Cut(heading, " "); ok { // of version 2
		if _, err := time.Parse("15:04", t); err == nil {
			return rest
		}
	}
	return heading
}

// line is one of a text.
type line struct {
	text string
	code bool // in a code fence
}

// uncommented yields lines with their places, without HTML comments outside of code
// fences. A comment that is never closed is kept as text.
func uncommented(lines []string) iter.Seq2[int, line] {
	return func(yield func(int, line) bool) {
		var code fence
		comment := false
		for i, l := range lines {
			in := code.holds(l)
			if !in {
				l, comment = dropComments(l, comment, lines[i+1:])
			}
			if !yield(i, line{l, in}) {
				return
			}
		}
	}
}

// dropComments removes HTML comments from a line. inside reports that the line
// begins in a comment; the result, that the next line does.
func dropComments(l string, inside bool, below []string) (string, bool) {
	closes := func(l string) bool { return strings.Contains(l, "-->") }
	text := ""
	for {
		if inside {
			_, rest, ok := strings.Cut(l, "-->")
			if !ok {
				return text, true
			}
			l = rest
		}
		before, rest, ok := strings.Cut(l, "<!--")
		if !ok || !closes(rest) && !slices.ContainsFunc(below, closes) {
			return text + l, false
		}
		text += strings.TrimRight(before, " ")
		l, inside = rest, true
	}
}

// rule reports whether a line is only a horizontal rule.
func rule(text string) bool {
	return len(text) >= 3 && (strings.Trim(text, "-") == "" || strings.Trim(text, "*") == "" || strings.Trim(text, "_") == "")
}

// label reports whether a line of an entry repeats its head, or is a value of
// its template that gives no information about a run that went well.
func label(text, title string, h retrieval.Hit) bool {
	if strings.HasPrefix(text, "- commit: ") {
		return len(h.Commits) > 0
	}
	name, value, ok := strings.Cut(strings.TrimPrefix(text, "- "), "**:")
	if !ok || !strings.HasPrefix(name, "**") {
		return false
	}
	value = strings.TrimSpace(value)
	switch strings.TrimPrefix(name, "**") {
	case "Commit":
		return len(h.Commits) > 0
	case "Task":
		return value == title
	case "Success":
		return value == "true"
	case "Exit Code":
		return value == "0"
	case "Duration", "Turns":
		return markdown.IsResult(text)
	}
	return false
}

// saysNothing reports whether the section below a heading is empty, "None", or
// the result of a run that went well.
func saysNothing(heading string, below []string) bool {
	if !strings.HasPrefix(heading, "### ") {
		return false
	}
	result := heading == "### Result"
	for _, l := range below {
		text := strings.TrimSpace(l)
		well := text == "- **Success**: true" || text == "- **Exit Code**: 0" ||
			strings.HasPrefix(text, "- **Duration**:") || strings.HasPrefix(text, "- **Turns**:")
		switch {
		case strings.HasPrefix(text, "#") || rule(text):
			return true
		case text != "" && text != "None" && !(result && well):
			return false
		}
	}
	return true
}
