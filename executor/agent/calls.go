package agent

import (
	"strings"

	"agentflow/executor/agent/checks"
	"agentflow/gitwatch/toolcalls"
)

// OpenCalls makes the events of an agent's tool calls, and tracks the open ones. It assumes
// that every shell command has a new shell, which begins where the agent works. The zero value
// has no open calls.
type OpenCalls struct{ open map[string]openCall }

type openCall struct {
	denied  Event  // the event if the call is denied
	names   bool   // its output consists only of names of files that it wrote
	command string // of a shell
}

// maxDetail limits the description of one tool call, in runes.
const maxDetail = 200

// Start returns a call's first event. ev has the agent's data, and its detail may have any
// length. command is that of a shell, or empty for other tools.
func (c *OpenCalls) Start(ev Event, command string) Event {
	ev.Kind = ToolStarted
	var written toolcalls.Command
	if command != "" {
		written = toolcalls.Written(command)
		ev.Names, ev.NamesIn, ev.Git, ev.Background = written.Names, command, written.Git, written.Background
		ev.Checks, _ = checks.Ended(command, ev.Dir, "", "")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(ev.Detail), "\n")
	ev.Detail = Clip(first, maxDetail)
	if c.open == nil {
		c.open = map[string]openCall{}
	}
	c.open[ev.Call] = openCall{
		denied: Event{Kind: Denied, Time: ev.Time, Tool: ev.Tool, Call: ev.Call, Text: strings.TrimSpace(ev.Tool + " " + ev.Detail), Writes: ev.Writes},
		names:  command != "" && !written.Lists, command: command,
	}
	return ev
}

// On reports whether a call is open: begun and not ended.
func (c *OpenCalls) On(call string) bool {
	_, on := c.open[call]
	return on
}

// End returns the last events of an open call: the facts in its output, and its end. Other
// calls have no event. ev has the exit of a shell's command.
func (c *OpenCalls) End(ev Event, output string) []Event {
	call, on := c.open[ev.Call]
	if !on {
		return nil
	}
	delete(c.open, ev.Call)
	ev.Kind = ToolEnded
	if call.names {
		ev.Names, ev.NamesIn = toolcalls.WrittenIn(output), output
	}
	ev.Checks, _ = checks.Ended(call.command, ev.Dir, ev.Exit, output)
	return append(given(output, ev), ev)
}

// Deny returns the last events of a call that was not permitted.
func (c *OpenCalls) Deny(ev Event, output string) []Event {
	call, on := c.open[ev.Call]
	if !on {
		return nil
	}
	delete(c.open, ev.Call)
	ev.Kind, ev.Failed = ToolEnded, true
	call.denied.Time = ev.Time
	return append(given(output, ev), ev, call.denied)
}

// given returns FactsGiven with the time of another event.
func given(text string, at Event) []Event {
	events := FactsGiven(text)
	for i := range events {
		events[i].Time = at.Time
	}
	return events
}
