package mcp

import (
	"context"
	"fmt"
	"strings"

	"agentflow/describe"
	"agentflow/memory"
	"agentflow/memory/quote"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxAnswer bounds the text of an answer, in tokens as memory.Tokens estimates
// them.
const MaxAnswer = 2000

// answer is text for a model that is being put together.
type answer struct {
	rest   string // what to do when not all of it fits
	end    string // said at the end in any case
	parts  []string
	tokens int
	cut    bool // something was left out
}

// add puts a part behind the others, or the beginning of the first one that does
// not fit.
func (a *answer) add(part string) {
	if a.cut {
		return
	}
	part = strings.TrimSpace(part)
	if cost := memory.Tokens(part) + 2; a.tokens+cost <= MaxAnswer-reserve {
		a.parts, a.tokens = append(a.parts, part), a.tokens+cost
		return
	}
	a.cut = true
	if len(a.parts) == 0 {
		a.parts = append(a.parts, beginning(part, MaxAnswer-reserve))
	}
}

// lines adds the lines of a file, the first of which is number from, as far as
// they fit, and says in rest where they go on.
func (a *answer) lines(from int, text string) {
	fits := text
	if room := MaxAnswer - reserve - a.tokens; memory.Tokens(text) > room {
		fits, a.cut = beginning(text, room), true
	}
	a.parts = append(a.parts, strings.TrimSuffix(fits, "\n"))
	a.rest += fmt.Sprintf(" %d-", from+strings.Count(strings.TrimSuffix(fits, "\n"), "\n")+1)
}

// reserve is kept for what is said at the end, in tokens.
const reserve = 150

// beginning is whole lines of text of at most so many tokens; of a line that
// alone takes more than half of them it is the beginning.
func beginning(text string, tokens int) string {
	var b strings.Builder
	left := tokens
	for line := range strings.Lines(text) {
		cost := memory.Tokens(line)
		if cost > left {
			if cost > tokens/2 {
				b.WriteString(cut(line, left-1) + "…")
			}
			break
		}
		b.WriteString(line)
		left -= cost
	}
	return b.String()
}

// cut is the beginning of a line that has at most so many tokens.
func cut(line string, tokens int) string {
	twelfths := 0
	for at, r := range line {
		if twelfths += memory.TokenTwelfths(r); twelfths > 12*tokens {
			return line[:at]
		}
	}
	return line
}

// tell says what did not work.
func (a *answer) tell(degraded []string) {
	for _, line := range degraded {
		a.add(describe.Degraded(line))
	}
}

// text is the answer; none when there is nothing to say.
func (a *answer) text(none string) string {
	if len(a.parts) == 0 {
		return none
	}
	parts := a.parts
	if a.cut {
		parts = append(parts, "("+a.rest+")")
	}
	if a.end != "" {
		parts = append(parts, "("+a.end+")")
	}
	return strings.Join(parts, "\n\n")
}

// shortErrors bounds what a tool's errors repeat of the arguments, and takes
// control characters out of it.
func shortErrors(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		if called, ok := res.(*sdk.CallToolResult); ok && err == nil && called.IsError {
			for _, content := range called.Content {
				if text, ok := content.(*sdk.TextContent); ok {
					text.Text = shortError(text.Text)
				}
			}
		}
		return res, err
	}
}

// maxError bounds the text of an error, in tokens.
const maxError = 1000

func shortError(text string) string {
	text = quote.Inline(text)
	if memory.Tokens(text) <= maxError {
		return text
	}
	return cut(text, maxError-1) + "…"
}
