package explain

import (
	"fmt"
	"strings"

	"agentflow/memory/markdown"
)

// outline returns the title of a plan, the sentences that say what it is for, and one with its steps.
func outline(text string) (title, purpose, steps []unit) {
	within := "" // the section: "" before the first one
	var lines, names []string
	var code markdown.Fence
	for line := range strings.Lines(text) {
		if code.Holds(strings.TrimRight(line, "\r\n")) {
			continue
		}
		head, isHead := heading(line)
		step := stepHead().FindStringSubmatch(head)
		switch {
		case isHead && len(title) == 0 && within == "" && strings.HasPrefix(line, "# "):
			if name := planTitle().ReplaceAllString(head, ""); count(name) > 1 {
				title = []unit{{text: ended(upper(withoutMarks(name)))}}
			}
		case isHead && step != nil:
			if name := withoutMarks(strings.TrimRight(step[1], ".: ")); name != "" {
				names = append(names, name)
			}
			within = head
		case isHead:
			within = head
		case remark().MatchString(line):
		case goal().MatchString(line):
			purpose = append(purpose, units(goal().ReplaceAllString(line, ""))...)
		case within == "" || contexts().MatchString("# "+within):
			lines = append(lines, line)
		}
	}
	purpose = append(purpose, units(strings.Join(lines, ""))...)
	if len(names) > 1 {
		steps = []unit{{text: listed(names), step: true}}
	}
	return title, purpose, steps
}

// heading returns the text of a heading.
func heading(line string) (text string, is bool) {
	if line[0] != '#' {
		return "", false
	}
	return strings.Trim(line, "#* \t\r\n"), true
}

// maxStepWords limits the steps of a plan, in words.
const maxStepWords = 25

// listed returns the steps of a plan as a sentence, as many as fit.
func listed(names []string) string {
	text := "Steps: " + names[0]
	for n, name := range names[1:] {
		if count(text)+count(name) > maxStepWords {
			return fmt.Sprintf("%s; and %d more.", text, len(names)-1-n)
		}
		text += "; " + name
	}
	return ended(text)
}

var (
	planTitle = lazy(`(?i)^(the )?((implementation|design|fix|refactoring|migration|feature|project|final) )?plan( for| to)?( *[:—–-]+ *|\s+|$)|[:—–-]? *\(?(implementation |design |refactoring |migration )?plan\)?$`)
	goal      = lazy(`(?i)^\W*(goal|objective|purpose|aim)\W*:\W*`)
	remark    = lazy(`(?i)^\W*(tech stack|supersedes|review notes|status|date|author|refs?|references?|branch|issues?|tickets?|linear|estimate|priority)\W*:|^>`) // about the plan itself
	stepHead  = lazy(`(?i)^(?:(?:step|phase|task|part|change|stage|pr|commit|milestone) *#?)?\d+(?:\.\d+)* *[.:)—–-]+ *(.*)$`)
)
