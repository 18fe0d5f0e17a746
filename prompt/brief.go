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
	briefFiles = 3   // paths
	briefWhy   = 240 // characters of the summary, and of an error
	briefHand  = 480 // characters of what a person added
	briefFacts = 3
)

// brief returns an entry in a few lines: its title with its files, how it failed, why it
// was done, and its facts. Ok is false for a text that is not the beginning of an entry.
func brief(h memory.Hit, text string, likely []memory.LikelyFile) (lines []string, ok bool) {
	blocks := markdown.Parse([]byte(text)).Blocks
	if len(blocks) != 1 || blocks[0].Entry == nil {
		return nil, false
	}
	e := blocks[0].Entry
	title := untimed(quote.Inline(cmp.Or(h.Heading, e.Title)))
	add := func(text string) {
		if text = quote.Inline(text); text != "" {
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
	for _, l := range quote.Lines(memory.Head(e.Extra, briefHand)) {
		add(l)
	}
	return lines, true
}

// part returns a piece out of the middle of an entry in a few lines: the entry's title with
// the files that the piece lists, and the rest of it.
func part(h memory.Hit, text string, likely []memory.LikelyFile) []string {
	var paths, rest []string
	heading := untimed(quote.Inline(h.Heading))
	for _, l := range compact(h, quote.Lines(text)) {
		switch path := changedPath(l); {
		case path != "":
			paths = append(paths, path)
		case l != heading && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "- **"):
			rest = append(rest, l)
		}
	}
	title, _, _ := strings.Cut(heading, " > ")
	lines := []string{quote.Inline(title + listed(paths, likely)), quote.Inline(sentences(prose(strings.Join(rest, "\n")), briefWhy))}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
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
	return listed(paths, likely)
}

// listed returns paths in brackets: likely ones first, and how many more there are.
func listed(paths []string, likely []memory.LikelyFile) string {
	place := func(path string) int {
		if i := slices.IndexFunc(likely, func(f memory.LikelyFile) bool { return f.Path == path }); i >= 0 {
			return i
		}
		return len(likely)
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	for i, path := range paths {
		paths[i] = quote.Path(path)
	}
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
	return sentences(summary, briefWhy)
}

// sentences keeps the sentences of a text that begin it, in at most so many characters; of
// a long first one the beginning.
func sentences(text string, limit int) string {
	head := memory.Head(text, limit)
	if head == text {
		return text
	}
	if end := strings.LastIndex(head, ". "); end > len(head)/3 {
		return head[:end+1]
	}
	return head
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
