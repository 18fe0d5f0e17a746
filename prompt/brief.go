package prompt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/roles"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// Bounds of an entry in a compact block.
const (
	briefFiles = 2   // paths
	briefTitle = 120 // characters
	briefWhy   = 200 // characters of the reason, and of an error
	briefSaid  = 320 // characters of the reason in an agent's words
	briefHand  = 480 // characters of a person's addition
	briefFacts = 3
)

// brief returns an entry in a few lines: its title with its files, how it failed, why it
// was done, and its facts. Of a commit it shows only the title: of 31 judged lines with another
// part of its message, three were of use. Ok is false for a text that is no entry.
func (in *Input) brief(h retrieval.Hit, text string) (lines []string, ok bool) {
	e := entryIn(h, text)
	if e == nil {
		return nil, false
	}
	add := func(text string) {
		if text = quote.Inline(text); text != "" {
			lines = append(lines, text)
		}
	}
	title, reason := titleAndReason(h, e)
	if e.Kind != memory.KindNote {
		add(title + filesIn(e, h.Missing, in.Files))
	}
	add(failedLine(e))
	if e.Kind != memory.KindCommit {
		add(reason)
	}
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

// entryIn returns the entry in a hit's text. A piece of an entry of version 2 is parsed
// as if the entry ended there.
func entryIn(h retrieval.Hit, text string) *memory.Entry {
	for _, src := range []string{text, closed(h, text)} {
		if blocks := markdown.Parse([]byte(src)).Blocks; len(blocks) == 1 && blocks[0].Entry != nil {
			return blocks[0].Entry
		}
	}
	return nil
}

// closed ends a piece of an entry of version 2, which has no comment, with one; empty for
// another piece.
func closed(h retrieval.Hit, text string) string {
	if h.Date.IsZero() || slices.ContainsFunc(strings.Split(text, "\n"), isOfVersion1) {
		return ""
	}
	if begun, rest, ok := strings.Cut(text, "-->"); ok && !strings.Contains(begun, "<!--") {
		text = rest // it begins in the comment
	}
	if at := strings.LastIndex(text, "<!-- agentflow "); at >= 0 && !strings.Contains(text[at:], "-->") {
		text = text[:at]
	}
	if !strings.HasPrefix(text, "## ") {
		title, _, _ := strings.Cut(untimed(quote.Inline(h.Heading)), " > ")
		text = fmt.Sprintf("## %s %s\n\n%s", h.Date.Format("15:04"), title, text)
	}
	return fmt.Sprintf("%s\n\n<!-- agentflow v=2 kind=%s id=%s time=%s -->\n", strings.TrimSpace(text), h.Kind, h.EntryID, h.Date.Format(time.RFC3339))
}

// isOfVersion1 reports whether only an entry of version 1 has such a line.
func isOfVersion1(line string) bool {
	return strings.HasPrefix(line, "### ") || strings.HasPrefix(line, "**") || changedPath(line) != ""
}

// part returns a piece from the middle of an entry in a few lines: the entry's title with
// the files that the piece lists, and the rest of the piece.
func part(h retrieval.Hit, text string, likely []retrieval.LikelyFile) []string {
	var paths, rest []string
	heading := untimed(quote.Inline(h.Heading))
	for _, l := range compact(h, quote.Lines(text)) {
		switch path := changedPath(l); {
		case path != "" && slices.Contains(h.Missing, path): // it misleads
		case path != "":
			paths = append(paths, path)
		case l != heading && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "- **"):
			rest = append(rest, l)
		}
	}
	title, _, _ := strings.Cut(heading, " > ")
	title = pullMark().ReplaceAllString(title, "")
	lines := []string{quote.Inline(title + listed(paths, likely)), quote.Inline(reasons(strings.Join(rest, "\n"), title, briefWhy))}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// filesIn lists the files of an entry in brackets, without missing ones: likely ones first.
func filesIn(e *memory.Entry, missing []string, likely []retrieval.LikelyFile) string {
	var paths []string
	for _, l := range []changeset.List{e.Changes, e.Uncommitted, e.Elsewhere} {
		for _, c := range l.Items {
			if !slices.Contains(paths, c.Path) && !slices.Contains(missing, c.Path) {
				paths = append(paths, c.Path)
			}
		}
	}
	return listed(paths, likely)
}

// listed returns paths in brackets, likely ones first and tests and documents last,
// and how many more there are.
func listed(paths []string, likely []retrieval.LikelyFile) string {
	place := func(name string) int {
		if i := slices.IndexFunc(likely, func(f retrieval.LikelyFile) bool { return f.Path == name }); i >= 0 {
			return i
		}
		role := roles.Of(name)
		if role == roles.Tool {
			return len(likely) + int(roles.Describe)
		}
		return len(likely) + int(role.Part())
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	var names []string
	for _, name := range paths[:min(len(paths), briefFiles)] {
		names = append(names, quote.Path(name))
	}
	switch more := len(paths) - len(names); {
	case len(names) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names, ", "), more)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// failedLine says how a run or session failed. It is empty for a success.
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

// committedOnly matches a summary with no more information than the entry's list of commits.
var committedOnly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(done\.? *)?(committed|pushed)( it| that)?( as| in| to)?\b[^.]*\.?$`)
})

// titleAndReason returns the title of an entry, and the sentences that say why, without those
// that repeat the title. If the title is cut, it returns the whole sentence instead. If
// the summary gives no reason, the reason comes from the person's request.
func titleAndReason(h retrieval.Hit, e *memory.Entry) (title, reason string) {
	title = pullMark().ReplaceAllString(untimed(quote.Inline(cmp.Or(e.Title, h.Heading))), "")
	text, limit := e.Summary, briefWhy
	if e.Kind.ByAgent() {
		limit = briefSaid
	}
	if summary := prose(text); summary == "" || committedOnly().MatchString(summary) {
		text = e.Task
	}
	if begun, cut := strings.CutSuffix(title, "…"); cut {
		if whole := sentencesOf(prose(text)); len(whole) > 0 && strings.HasPrefix(whole[0], strings.TrimSpace(begun)) {
			title = memory.Head(strings.TrimSuffix(whole[0], "."), briefTitle)
			return title, reasons(strings.Join(whole[1:], " "), title, limit)
		}
	}
	return title, reasons(text, title, limit)
}
