package codex

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"agentflow/executor/agent"
)

// decoder decodes "codex exec --json": one JSON object a line, of type thread.started,
// turn.started, item.started, item.updated, item.completed, turn.completed, turn.failed or
// error, as recorded in testdata/codex and described in its README. Unknown lines are activity.
type decoder struct {
	agent.LineReader
	errors  agent.Lines // standard error
	items   items
	last    string // the agent's last message
	failure string // an error that no turn.failed has repeated yet
}

func newDecoder() *decoder {
	d := &decoder{}
	d.Object = d.object
	return d
}

type streamLine struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Item    item   `json:"item"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage usage `json:"usage"`
}

// usage counts the tokens of a session, from its beginning.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

func (u usage) tokens() agent.Tokens {
	return agent.Tokens{Input: u.Input, Cached: u.Cached, Output: u.Output}
}

// Close also returns a failed result for an error without a later event.
func (d *decoder) Close() []agent.Event {
	events := d.LineReader.Close()
	if d.failure != "" {
		events = append(events, failed(d.failure))
		d.failure = ""
	}
	return events
}

func (d *decoder) object(line []byte) []agent.Event {
	var l streamLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	switch l.Type {
	case "thread.started":
		return []agent.Event{{Kind: agent.Session, Session: l.Thread}}
	case "item.started":
		return d.items.started(l.Item)
	case "item.completed":
		events := d.items.completed(l.Item)
		for _, ev := range events {
			if ev.Kind == agent.Said {
				d.last = ev.Text
			}
		}
		return events
	case "error":
		if retry, is := retryOf(l.Message); is {
			return []agent.Event{retry}
		}
		d.failure = cmp.Or(l.Message, "the agent reported an error")
	case "turn.failed":
		text := cmp.Or(l.Error.Message, d.failure)
		d.failure = ""
		return []agent.Event{failed(text)}
	case "turn.completed":
		d.failure = ""
		return []agent.Event{{Kind: agent.Result, Text: d.last, Tokens: l.Usage.tokens()}}
	}
	return nil
}

// reconnecting matches the message of Codex when it retries a request to its server. It
// contains a number of tries, or none while Codex waits for a network.
var reconnecting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Reconnecting\.\.\. (?:(\d+)/(\d+)|([a-z ]+))(?: \((.*)\))?$`)
})

func retryOf(message string) (agent.Event, bool) {
	m := reconnecting().FindStringSubmatch(message)
	if m == nil {
		return agent.Event{}, false
	}
	ev := agent.Event{Kind: agent.Retry, Text: agent.Clip(cmp.Or(m[4], "the API cannot be reached"), 300), Detail: m[3]}
	if m[1] != "" {
		ev.Detail = "retry " + m[1] + " of " + m[2]
	}
	return ev, true
}

// failed returns the result of a turn that failed.
func failed(message string) agent.Event {
	text := plainError(message)
	return agent.Event{Kind: agent.Result, Failed: true, Text: cmp.Or(text, "the agent reported an error"), Cause: causeOf(text)}
}

// plainError returns the message in a server's answer that Codex passes on.
func plainError(message string) string {
	var body struct {
		Detail string `json:"detail"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if strings.HasPrefix(message, "{") && agent.Loosely([]byte(message), &body) {
		return cmp.Or(body.Error.Message, body.Detail, strings.TrimSpace(message))
	}
	return strings.TrimSpace(message)
}

// unavailable lists parts of Codex's messages about errors of its server, as of version
// 0.169.0.
var unavailable = []string{
	"experiencing high demand", "exceeded retry limit", "stream disconnected", "Connection failed", "at capacity", "usage limit",
	"status 429", "status 500", "status 502", "status 503", "status 504", "error sending request", "timeout waiting for",
}

func causeOf(text string) agent.Cause {
	switch {
	case strings.Contains(text, "401 Unauthorized"), strings.Contains(text, "Missing environment variable"), strings.Contains(text, "log in again"):
		return agent.CauseLogin
	case strings.Contains(text, "no rollout found for thread"):
		return agent.CauseSession
	}
	for _, part := range unavailable {
		if strings.Contains(text, part) {
			return agent.CauseUnavailable
		}
	}
	return ""
}

// FeedStderr decodes the lines of Codex's log. Only the log reports a refused patch and an
// unknown session.
func (d *decoder) FeedStderr(p []byte) (events []agent.Event) {
	d.errors.Feed(p, func(line []byte, huge bool) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "Error: ") && causeOf(text) == agent.CauseSession {
			events = append(events, failed(strings.TrimPrefix(text, "Error: ")))
		}
		_, text, _ = strings.Cut(text, " ERROR codex_core::tools::router: error=")
		if why, is := refusal(text); is {
			events = append(events, denied("", why))
		}
	})
	return events
}

// refusal returns why a patch was refused, from the output that the model gets.
func refusal(output string) (why string, is bool) {
	why, is = strings.CutPrefix(output, "patch rejected: ")
	why, _, _ = strings.Cut(why, ";")
	return why, is
}

// denied returns the event of a refused patch.
func denied(call, why string) agent.Event {
	return agent.Event{Kind: agent.Denied, Tool: patchTool, Call: call, Text: patchTool + ": " + agent.Clip(why, 300), Writes: true}
}
