package prompt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
)

// Bounds of an entry in a compact block.
const (
	briefFiles = 4   // paths
	briefWhy   = 480 // characters of the summary, of an error and of what a person added
	briefFacts = 3
)

// brief returns an entry in a few lines: its title with its files, how it failed, why it
// was done, and its facts. Ok is false for a text that is not a whole entry.
func brief(h memory.Hit, text string, likely []memory.LikelyFile) (lines []string, ok bool) {
	blocks := markdown.Parse([]byte(text)).Blocks
	if h.Kind == "" || len(blocks) != 1 || blocks[0].Entry == nil {
		return nil, false
	}
	e := blocks[0].Entry
	title := untimed(quote.Inline(cmp.Or(h.Heading, e.Title)))
	add := func(text string) {
		if text = oneLine(text); text != "" {
			lines = append(lines, text)
		}
	}
	if e.Kind != memory.KindNote {
		add(title + filesIn(e, likely))
	}
	add(failedLine(e))
	add(why(e, title))
	for i, f := range e.Facts {
		if i == briefFacts && len(e.Facts) > briefFacts+1 && e.Kind != memory.KindNote {
			add(fmt.Sprintf("- and %d more facts", len(e.Facts)-i))
			break
		}
		lines = append(lines, bulleted(f.Whole())...)
	}
	for _, l := range quote.Lines(memory.Head(e.Extra, briefWhy)) {
		add(l)
	}
	return lines, true
}

// filesIn lists the files of an entry in brackets: likely ones first.
func filesIn(e *memory.Entry, likely []memory.LikelyFile) string {
	var paths []string
	for _, l := range []memory.ChangeList{e.Changes, e.Uncommitted, e.Elsewhere} {
		for _, c := range l.Items {
			if !slices.Contains(paths, c.Path) {
				paths = append(paths, c.Path)
			}
		}
	}
	place := func(path string) int {
		if i := slices.IndexFunc(likely, func(f memory.LikelyFile) bool { return f.Path == path }); i >= 0 {
			return i
		}
		return len(likely)
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	switch n := len(paths); {
	case n == 0:
		return ""
	case n > briefFiles+1:
		return fmt.Sprintf(" (%s and %d more files)", strings.Join(paths[:briefFiles], ", "), n-briefFiles)
	}
	return " (" + strings.Join(paths, ", ") + ")"
}

// failedLine says how a run or session failed; empty: it did not.
func failedLine(e *memory.Entry) string {
	if e.Result == nil || e.Result.Success {
		return ""
	}
	reason := fmt.Sprintf("exit %d", e.Result.ExitCode)
	if len(e.Errors) > 0 {
		reason = memory.Head(e.Errors[0], briefWhy)
	}
	return fmt.Sprintf("%s: %s", cmp.Or(string(e.Result.Outcome), string(memory.OutcomeFailed)), reason)
}

// committedOnly matches a summary that says no more than the entry's list of commits.
var committedOnly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(done\.? *)?(committed|pushed)( it| that)?( as| in| to)?\b[^.]*\.?$`)
})

// why returns the summary on one line, without code; where it says nothing, what was asked.
func why(e *memory.Entry, title string) string {
	summary := prose(e.Summary)
	if summary == "" || committedOnly().MatchString(summary) {
		summary = strings.TrimSpace(strings.TrimPrefix(prose(e.Task), title))
	}
	if strings.HasPrefix(title, strings.TrimRight(summary, ".…")) {
		return ""
	}
	return memory.Head(summary, briefWhy)
}

// prose returns a text on one line, without fenced code.
func prose(text string) string {
	var words []string
	var code fence
	for _, l := range quote.Lines(text) {
		if !code.holds(l) {
			words = append(words, strings.Fields(l)...)
		}
	}
	return strings.Join(words, " ")
}

// oneLine returns a text with its white space as single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
