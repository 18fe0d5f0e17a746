package opencode

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
)

// decoder decodes "opencode run --format json": one JSON object a line, of type step_start,
// text, tool_use, step_finish or error, as recorded in testdata/opencode and described in its
// README. There is no result line: the result is known when the output ends. Unknown lines are
// activity.
type decoder struct {
	agent.LineReader
	errors   agent.Lines // standard error
	calls    agent.OpenCalls
	session  string
	sum      agent.Event // the fields of the result: turns, tokens, cost, and the last text
	rejected string      // the call about which the user's settings ask; the question had no answer, which ended the run
	over     bool        // a result was returned
}

func newDecoder() *decoder {
	d := &decoder{sum: agent.Event{Kind: agent.Result}}
	d.Object = d.object
	return d
}

type streamLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    part   `json:"part"`
	Error   struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

type part struct {
	Type   string  `json:"type"`
	Text   string  `json:"text"`
	Tool   string  `json:"tool"`
	Call   string  `json:"callID"`
	State  state   `json:"state"`
	Cost   float64 `json:"cost"`
	Tokens struct {
		Input  int64 `json:"input"` // without the cached ones
		Output int64 `json:"output"`
		Reason int64 `json:"reasoning"`
		Cache  struct {
			Read  int64 `json:"read"`
			Write int64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
}

func (d *decoder) object(line []byte) []agent.Event {
	var l streamLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	var events []agent.Event
	if l.Session != "" && d.session == "" {
		d.session = l.Session
		events = append(events, agent.Event{Kind: agent.Session, Session: l.Session})
	}
	switch l.Type {
	case "text":
		if strings.TrimSpace(l.Part.Text) != "" {
			d.sum.Text, d.rejected = l.Part.Text, ""
			events = append(events, agent.Event{Kind: agent.Said, Text: l.Part.Text})
		}
	case "tool_use":
		events = append(events, d.tool(l.Part)...)
	case "step_finish":
		events = append(events, d.step(l.Part))
	case "error":
		d.over = true
		text := cmp.Or(l.Error.Data.Message, l.Error.Name, "the agent reported an error")
		events = append(events, d.failed(text, causeOf(l.Error.Data.Status, l.Error.Name)))
	}
	return events
}

func (d *decoder) failed(text string, why agent.Cause) agent.Event {
	end := d.sum
	end.Failed, end.Text, end.Cause = true, text, why
	return end
}

// step adds the usage of one request.
func (d *decoder) step(p part) agent.Event {
	t := p.Tokens
	d.sum.Turns++
	d.sum.CostUSD += max(0, p.Cost)
	d.sum.Tokens = d.sum.Tokens.Plus(agent.Tokens{Input: t.Input + t.Cache.Read + t.Cache.Write, Cached: t.Cache.Read, Output: t.Output + t.Reason})
	return agent.Event{Kind: agent.Usage, Turns: d.sum.Turns, Tokens: d.sum.Tokens}
}

// Close also returns the result, unless an error was returned as the result.
func (d *decoder) Close() []agent.Event {
	events := d.LineReader.Close()
	if d.over || d.session == "" {
		return events
	}
	d.over = true
	if d.rejected != "" {
		return append(events, d.failed("opencode would have asked whether it may, and ended: "+d.rejected, agent.CauseDenied))
	}
	return append(events, d.sum)
}

func causeOf(status int, name string) agent.Cause {
	switch {
	case status == 401 || status == 403 || name == "ProviderAuthError":
		return agent.CauseLogin
	case status == 408 || status == 429 || status >= 500:
		return agent.CauseUnavailable
	}
	return ""
}

// colours matches the colour codes of standard error.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

// FeedStderr decodes the lines of standard error. Only there opencode reports why it did not
// start.
func (d *decoder) FeedStderr(p []byte) (events []agent.Event) {
	d.errors.Feed(p, func(line []byte, _ bool) {
		text, is := strings.CutPrefix(strings.TrimSpace(colours().ReplaceAllString(string(line), "")), "Error: ")
		if !is || d.over {
			return
		}
		var why agent.Cause
		if text == "Session not found" {
			why = agent.CauseSession
		}
		d.over = true
		events = append(events, d.failed(agent.Clip(text, 500), why))
	})
	return events
}

// milliseconds returns the time of an opencode timestamp.
func milliseconds(n int64) time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
