package prompt

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// compact leaves out of an entry's lines what tells an agent nothing or is
// in the entry's head already: comments, rules, blank lines, empty sections
// and the labels of a run that went well. Inside a code fence all stays.
func compact(h memory.Hit, lines []string) []string {
	var kept []string
	title := untimed(inline(h.Heading))
	var code fence
	comment := false
	skip := false // in a section that says nothing
	for i, l := range lines {
		if code.holds(l) {
			kept = append(kept, l)
			continue
		}
		l, comment = dropComments(l, comment, lines[i+1:])
		text := strings.TrimSpace(l)
		if text == "" {
			continue
		}
		if strings.HasPrefix(text, "#") {
			skip = h.Kind != "" && saysNothing(text, lines[i+1:])
		}
		if skip || rule(text) || h.Kind != "" && label(text, title, h) {
			continue
		}
		if heading, ok := strings.CutPrefix(text, "## "); ok && h.Kind != "" {
			title = untimed(heading) // stands first in any case
			continue
		}
		kept = append(kept, strings.TrimRight(l, " \t"))
	}
	if title != "" && len(kept) == 0 && h.Kind == "" {
		return nil
	}
	if title != "" && (h.Kind != "" || !strings.HasPrefix(kept[0], "#")) {
		kept = append([]string{title}, kept...)
	}
	return kept
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
	return heading
}

// dropComments takes HTML comments out of a line. inside says that the line
// begins in one; the result, that the next line does. What nothing below
// closes is no comment.
func dropComments(l string, inside bool, below []string) (string, bool) {
	var b strings.Builder
	for {
		if inside {
			i := strings.Index(l, "-->")
			if i < 0 {
				return b.String(), true
			}
			l, inside = l[i+len("-->"):], false
			continue
		}
		i := strings.Index(l, "<!--")
		if i < 0 || !strings.Contains(l[i:], "-->") && !slices.ContainsFunc(below, func(l string) bool { return strings.Contains(l, "-->") }) {
			b.WriteString(l)
			return b.String(), false
		}
		b.WriteString(strings.TrimRight(l[:i], " "))
		l, inside = l[i+len("<!--"):], true
	}
}

// rule says whether a line only draws a line.
func rule(text string) bool {
	return len(text) >= 3 && (strings.Trim(text, "-") == "" || strings.Trim(text, "*") == "" || strings.Trim(text, "_") == "")
}

// label says whether a line of an entry repeats its head, or tells what goes
// without saying.
func label(text, title string, h memory.Hit) bool {
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
		return true
	}
	return false
}

// saysNothing says whether the section below a heading is empty, "None", or
// the result of a run that went well.
func saysNothing(heading string, below []string) bool {
	if !strings.HasPrefix(heading, "### ") {
		return false
	}
	result := heading == "### Result"
	empty := true
	for _, l := range below {
		text := strings.TrimSpace(l)
		if strings.HasPrefix(text, "#") || rule(text) {
			break
		}
		if text == "" || text == "None" {
			continue
		}
		if result && (text == "- **Success**: true" || text == "- **Exit Code**: 0" ||
			strings.HasPrefix(text, "- **Duration**:") || strings.HasPrefix(text, "- **Turns**:")) {
			continue
		}
		empty = false
		break
	}
	return empty
}
