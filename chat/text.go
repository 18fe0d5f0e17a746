package chat

import (
	"strings"

	"agentflow/app"
	"agentflow/describe"
	"agentflow/memory"
)

// hitsText is what a search found, for the model: each hit with its place, its
// id and its text.
func hitsText(res app.SearchResult) string {
	var b strings.Builder
	for _, h := range res.Hits {
		b.WriteString(describe.Found(h, false) + "\n\n")
	}
	for _, line := range res.Degraded {
		b.WriteString(describe.Degraded(line) + "\n")
	}
	if len(res.Hits) == 0 {
		b.WriteString("nothing relevant")
	}
	return strings.TrimSpace(b.String())
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
