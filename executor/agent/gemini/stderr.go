package gemini

import (
	"regexp"
	"strings"
	"sync"

	"agentflow/executor/agent"
)

// attempt matches a line about a request that is retried.
var attempt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Attempt (\d+) failed(?: with status (\d+))?`) })

// FeedStderr decodes the lines of standard error. Only there the CLI reports that it retries an
// API request, and why it did not start.
func (d *decoder) FeedStderr(p []byte) (events []agent.Event) {
	d.errors.Feed(p, func(line []byte, _ bool) {
		if ev, is := errorLine(strings.TrimSpace(plain().ReplaceAllString(string(line), ""))); is {
			events = append(events, ev)
		}
	})
	return events
}

// plain matches colour codes.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

func errorLine(line string) (agent.Event, bool) {
	ev := agent.Event{Kind: agent.Result, Failed: true, Text: agent.Clip(line, 500)}
	switch {
	case strings.HasPrefix(line, "Error resuming session:"):
		ev.Cause = agent.CauseSession
	case strings.Contains(line, "set an Auth method"):
		ev.Cause = agent.CauseLogin
	case strings.HasPrefix(line, "Gemini CLI is not running in a trusted directory"):
		ev.Text = `the Gemini CLI does not trust this folder: start "gemini" here once and say that you do, or set [agent.gemini] args = ["--skip-trust"]`
	default:
		m := attempt().FindStringSubmatch(line)
		if m == nil {
			return agent.Event{}, false
		}
		ev = agent.Event{Kind: agent.Retry, Text: "the API cannot be reached", Detail: "try " + m[1] + " failed"}
		if m[2] != "" {
			ev.Text = "the API fails (" + m[2] + ")"
		}
		if m[2] == "429" {
			ev.Text = "the API limits the rate (429)"
		}
	}
	return ev, true
}
