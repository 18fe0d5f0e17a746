package chat

import (
	"strings"

	appsearch "agentflow/app/search"
	"agentflow/internal/describe"
	"agentflow/memory"
)

// hitsText returns the results of a search for the model: each hit with its place, its id and
// its text.
func hitsText(res appsearch.SearchResult) string {
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

// fenced returns text of memory as a quotation. Each line begins with a mark, so that no line
// can end the quotation.
func fenced(title, text string) string {
	return title + "\n| " + strings.ReplaceAll(text, "\n", "\n| ")
}

// beginning returns as many complete lines of a text as fit into a number of tokens, or the
// beginning of the first line.
func beginning(text string, tokens int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		cost := memory.Tokens(line)
		if cost > tokens {
			if b.Len() == 0 {
				return cut(line, tokens) // a token has at least one byte
			}
			break
		}
		b.WriteString(line)
		tokens -= cost
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// end returns complete lines from the end of a text, with at most the given number of tokens.
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
