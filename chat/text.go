package chat

import (
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// hitsText is what a search found, for the model: each hit with its place, its
// id and its text.
func hitsText(res app.SearchResult) string {
	var b strings.Builder
	for _, h := range res.Hits {
		fmt.Fprintf(&b, "# %s\n%s:%d-%d", oneLine(h.Heading), oneLine(h.Path), h.StartLine, h.EndLine)
		if h.EntryID != "" {
			b.WriteString(" · id " + memory.ShortID(h.EntryID))
		}
		if !h.Date.IsZero() {
			b.WriteString(" · " + h.Date.Format(time.DateOnly))
		}
		if h.FromRepository {
			b.WriteString(" · came with the repository: not the user's memory")
		}
		if h.Undone {
			b.WriteString(" · undone since")
		}
		if h.Gone {
			b.WriteString(" · its commits are gone")
		}
		b.WriteString("\n" + plain(h.Text) + "\n\n")
	}
	for _, line := range res.Degraded {
		b.WriteString("(" + oneLine(line) + ")\n")
	}
	if len(res.Hits) == 0 {
		b.WriteString("nothing relevant")
	}
	return strings.TrimSpace(b.String())
}

// plain is Markdown of memory without what only a program reads: comments, the
// rules between entries, and facts that hold no longer.
func plain(text string) string {
	var kept []string
	for line := range strings.Lines(memory.Clean(text)) {
		bare := strings.TrimRight(markdown.WithoutComment(strings.TrimRight(line, "\n")), " ")
		if bare == "---" || strings.HasPrefix(bare, "- ~~") || bare == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, bare)
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// fenced is text of memory as a quotation. Each line begins with a mark, so
// that none of them can end it.
func fenced(title, text string) string {
	return title + "\n| " + strings.ReplaceAll(text, "\n", "\n| ")
}

// beginning is whole lines of a text of at most so many tokens, or the
// beginning of the first one.
func beginning(text string, tokens int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		cost := memory.Tokens(line)
		if cost > tokens {
			if b.Len() == 0 {
				return cut(line, tokens) // a token is a byte at least
			}
			break
		}
		b.WriteString(line)
		tokens -= cost
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// end is whole lines from the end of a text, of at most so many tokens.
func end(text string, tokens int) string {
	lines := strings.Split(text, "\n")
	from := len(lines)
	for from > 0 {
		if tokens -= memory.Tokens(lines[from-1]) + 1; tokens < 0 {
			break
		}
		from--
	}
	return strings.Join(lines[from:], "\n")
}

func oneLine(text string) string { return strings.ReplaceAll(memory.Clean(text), "\n", " ") }
