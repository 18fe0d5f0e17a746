package mcp

import (
	"context"
	"fmt"
	"strings"

	"agentflow/internal/describe"
	"agentflow/memory"
	"agentflow/memory/quote"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxAnswer limits the text of an answer, in tokens as memory.Tokens estimates them.
const MaxAnswer = 2000

// answer builds the text of an answer for a model.
type answer struct {
	rest   string // how to get the rest if the text does not fit
	end    string // always added at the end
	parts  []string
	tokens int
	cut    bool // something was left out
}

// add appends a part. If the first part does not fit, it appends its beginning.
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

// lines adds the lines of a file that fit. from is the number of the first line. It adds the
// number of the next line to rest.
func (a *answer) lines(from int, text string) {
	fits := text
	if room := MaxAnswer - reserve - a.tokens; memory.Tokens(text) > room {
		fits, a.cut = beginning(text, room), true
	}
	a.parts = append(a.parts, strings.TrimSuffix(fits, "\n"))
	a.rest += fmt.Sprintf(" %d-", from+strings.Count(strings.TrimSuffix(fits, "\n"), "\n")+1)
}

// reserve keeps part of the limit for the text at the end, in tokens.
const reserve = 150

// beginning returns complete lines of text with at most the given number of tokens. Of a line
// that needs more than half of them it returns the beginning.
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

// cut returns the beginning of a line with at most the given number of tokens.
func cut(line string, tokens int) string {
	twelfths := 0
	for at, r := range line {
		if twelfths += memory.TokenTwelfths(r); twelfths > 12*tokens {
			return line[:at]
		}
	}
	return line
}

// tell adds the parts that failed.
func (a *answer) tell(degraded []string) {
	for _, line := range degraded {
		a.add(describe.Degraded(line))
	}
}

// text returns the answer, or none if it is empty.
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

// shortErrors limits the arguments that a tool's errors repeat, and removes control characters
// from them.
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

// maxError limits the text of an error, in tokens.
const maxError = 1000

func shortError(text string) string {
	text = quote.Inline(text)
	if memory.Tokens(text) <= maxError {
		return text
	}
	return cut(text, maxError-1) + "…"
}
