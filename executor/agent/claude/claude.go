// Package claude runs the Claude CLI in print mode and reads its stream-json.
package claude

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/plural"
)

// claude is the Claude CLI in print mode.
type claude struct{ argv []string }

// New returns the Claude CLI as an agent. argv is the program and what
// always stands before our own arguments; empty means "claude" from PATH.
func New(argv ...string) agent.Agent {
	if len(argv) == 0 {
		argv = []string{"claude"}
	}
	return claude{argv: argv}
}

func (c claude) Name() string { return "claude" }

// Command keeps the prompt out of the arguments, which have a size limit and
// stand in every process listing.
func (c claude) Command(req agent.Request) (agent.Command, error) {
	if req.MaxCostUSD < 0 {
		return agent.Command{}, errors.New("claude: a spend cap below zero")
	}
	argv := append(slices.Clone(c.argv), "-p", "--output-format", "stream-json")
	if allowed := append(slices.Clone(req.AllowedTools), allowedOf(req.Tools)...); len(allowed) > 0 {
		argv = append(append(argv, "--allowedTools"), allowed...)
	}
	if len(req.Tools.Argv) > 0 {
		argv = append(argv, "--mcp-config", serverOf(req.Tools))
	}
	// Both take all that follows up to the next flag.
	argv = append(argv, "--verbose")
	for _, option := range []struct{ flag, value string }{
		{"--permission-mode", req.Permission},
		{"--model", req.Model},
		{"--resume", req.Resume},
	} {
		if option.value != "" {
			argv = append(argv, option.flag, option.value)
		}
	}
	if req.MaxCostUSD > 0 {
		argv = append(argv, "--max-budget-usd", strconv.FormatFloat(req.MaxCostUSD, 'f', -1, 64))
	}
	return agent.Command{Argv: append(argv, req.Args...), Stdin: []byte(req.Prompt)}, nil
}

// allowedOf are the names by which the CLI knows the tools that only read.
func allowedOf(t agent.Tools) (names []string) {
	for _, name := range t.Reading {
		names = append(names, "mcp__"+t.Name+"__"+name)
	}
	return names
}

// serverOf is the server as --mcp-config takes it. alwaysLoad puts its tools in
// front of the model where the CLI would have it look for tools first.
func serverOf(t agent.Tools) string {
	type server struct {
		Type       string   `json:"type"`
		Command    string   `json:"command"`
		Args       []string `json:"args"`
		AlwaysLoad bool     `json:"alwaysLoad"`
	}
	text, _ := json.Marshal(map[string]map[string]server{"mcpServers": {t.Name: {"stdio", t.Argv[0], t.Argv[1:], true}}}) // strings only
	return string(text)
}

func (c claude) Decoder() agent.Decoder { return NewDecoder() }

// NewDecoder returns a decoder of stream-json, for a program that speaks it too.
func NewDecoder() agent.Decoder {
	d := &decoder{}
	d.Object = d.decode
	return d
}

// result returns a result line's events: the denied calls, and the end. A run has
// another result when a background task ended behind the first one and the CLI let
// the agent go on: its turns are counted anew, its cost is not.
func (d *decoder) result(l streamLine) []agent.Event {
	var events []agent.Event
	if d.denied == nil {
		d.denied = map[string]bool{}
	}
	for _, denial := range l.Denials {
		if denial.Call != "" && d.denied[denial.Call] {
			continue
		}
		d.denied[denial.Call] = true
		tool := describe(denial.Tool, denial.Input)
		text := strings.TrimSpace(denial.Tool + " " + tool.detail)
		events = append(events, agent.Event{Kind: agent.Denied, Tool: denial.Tool, Call: denial.Call, Text: text, Writes: tool.writes})
	}
	d.over = true
	d.past += max(l.NumTurns, 0)
	var text string
	if json.Unmarshal(l.Result, &text) != nil {
		text = ""
	}
	result := agent.Event{Kind: agent.Result, Session: l.SessionID, Turns: d.past, CostUSD: l.Cost}
	if result.Failed = l.IsError || strings.HasPrefix(l.Subtype, "error"); result.Failed {
		text = cmp.Or(text, whyFailed(l), "the agent reported an error")
		result.Cause = causeOf(l, d.failure)
	}
	result.Text = strings.TrimSuffix(text, loginHint)
	return append(events, result)
}

// whyFailed is why a result without a text failed. A diagnostic for the
// CLI's makers says less than the kind of error.
func whyFailed(l streamLine) string {
	var errs []string
	for _, e := range l.Errors {
		if !strings.HasPrefix(e, "[ede_diagnostic]") {
			errs = append(errs, e)
		}
	}
	return cmp.Or(strings.Join(errs, "\n"), strings.ReplaceAll(cmp.Or(l.Terminal, l.Subtype), "_", " "))
}

// loginHint names a command that only the interactive CLI has.
const loginHint = " · Please run /login"

// causeOf reads the cause from the kind of a result, or of the API error before
// it.
func causeOf(l streamLine, failure string) agent.Cause {
	if l.Subtype == "error_max_budget_usd" {
		return agent.CauseCost
	}
	for _, e := range l.Errors {
		if strings.HasPrefix(e, "No conversation found") {
			return agent.CauseSession
		}
	}
	switch failure {
	case "authentication_failed", "oauth_org_not_allowed":
		return agent.CauseLogin
	case "overloaded", "rate_limit", "server_error":
		return agent.CauseUnavailable
	}
	return ""
}

// retryOf says why the API is asked again, which try comes, and when.
func retryOf(l streamLine) agent.Event {
	ev := agent.Event{Kind: agent.Retry, Text: "the API cannot be reached"}
	switch {
	case l.Error == "overloaded":
		ev.Text = "the API is overloaded"
	case l.Error == "rate_limit":
		ev.Text = "the API limits the rate"
	case l.Error == "authentication_failed":
		ev.Text = "the API refuses the login"
	case l.Status != 0:
		ev.Text = "the API fails"
	}
	if l.Status != 0 {
		ev.Text += fmt.Sprintf(" (%d)", l.Status)
	}
	if l.Attempt > 0 && l.Retries > 0 {
		ev.Detail = fmt.Sprintf("retry %d of %d", l.Attempt, l.Retries)
		if wait := time.Duration(l.Delay * float64(time.Millisecond)).Round(time.Second); wait > 0 {
			ev.Detail += " in " + plural.Duration(wait)
		}
	}
	return ev
}
