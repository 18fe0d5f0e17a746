// Package claude runs the Claude CLI in print mode and decodes its stream-json.
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

// New returns the Claude CLI as an agent. argv is the program and the arguments that precede
// ours; empty means "claude" from PATH.
func New(argv ...string) agent.Agent {
	if len(argv) == 0 {
		argv = []string{"claude"}
	}
	return claude{argv: argv}
}

func (c claude) Name() string { return "claude" }

// Command passes the prompt on standard input: arguments have a size limit and are visible in
// every process listing.
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
	// Both options take all arguments up to the next flag.
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

// allowedOf returns the CLI's names of the tools that only read.
func allowedOf(t agent.Tools) (names []string) {
	for _, name := range t.Reading {
		names = append(names, "mcp__"+t.Name+"__"+name)
	}
	return names
}

// serverOf returns the server in the form of --mcp-config. With alwaysLoad the model gets its
// tools at once, and need not search for them.
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

// NewDecoder returns a decoder of stream-json, also for other programs that print it.
func NewDecoder() agent.Decoder {
	d := &decoder{}
	d.Object = d.decode
	return d
}

// result returns the events of a result line: the denied calls, and the end. A run has another
// result if a background task ended after the first one and the CLI let the agent continue. Its
// turns start again at 0, its cost does not.
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

// whyFailed returns why a result without a text failed. It ignores a diagnostic for the CLI's
// developers, because the kind of error says more.
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

// causeOf returns the cause from the kind of a result, or of the API error before it.
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

// retryOf returns an event with why a request is retried, which try it is, and when it will be.
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
