package executor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

func claudeResult(l claudeLine, failure string) []Event {
	var events []Event
	for _, denial := range l.Denials {
		tool := claudeTool(denial.Tool, denial.Input)
		text := strings.TrimSpace(denial.Tool + " " + tool.detail)
		events = append(events, Event{Kind: EventDenied, Tool: denial.Tool, Call: denial.Call, Text: text, Writes: tool.writes})
	}
	var text string
	if json.Unmarshal(l.Result, &text) != nil {
		text = ""
	}
	result := Event{Kind: EventResult, Session: l.SessionID, Turns: l.NumTurns, CostUSD: l.Cost}
	if result.Failed = l.IsError || strings.HasPrefix(l.Subtype, "error"); result.Failed {
		text = cmp.Or(text, claudeErrors(l), "the agent reported an error")
		result.Cause = claudeCause(l, failure)
	}
	result.Text = strings.TrimSuffix(text, claudeLogin)
	return append(events, result)
}

// claudeErrors is why a result without a text failed. A diagnostic for the
// CLI's makers says less than the kind of error.
func claudeErrors(l claudeLine) string {
	var errs []string
	for _, e := range l.Errors {
		if !strings.HasPrefix(e, "[ede_diagnostic]") {
			errs = append(errs, e)
		}
	}
	return cmp.Or(strings.Join(errs, "\n"), strings.ReplaceAll(cmp.Or(l.Terminal, l.Subtype), "_", " "))
}

// claudeLogin names a command that only the interactive CLI has.
const claudeLogin = " · Please run /login"

// claudeCause tells from the kind of a result, or of the API error before it,
// what is to be done.
func claudeCause(l claudeLine, failure string) Cause {
	if l.Subtype == "error_max_budget_usd" {
		return CauseCost
	}
	for _, e := range l.Errors {
		if strings.HasPrefix(e, "No conversation found") {
			return CauseSession
		}
	}
	switch failure {
	case "authentication_failed", "oauth_org_not_allowed":
		return CauseLogin
	case "overloaded", "rate_limit", "server_error":
		return CauseUnavailable
	}
	return ""
}

// claudeRetry says why the API is asked again, and which try comes.
func claudeRetry(l claudeLine) Event {
	ev := Event{Kind: EventRetry, Text: "the API cannot be reached"}
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
	}
	return ev
}
