package executor

import (
	"time"

	"agentflow/executor/agent"
)

// limits are the limits of a watchdog. Except for grace, zero or less means none.
type limits struct {
	timeout time.Duration // the whole run
	idle    time.Duration // no output, and no tool call open
	tool    time.Duration // no output, while a tool call is open
	grace   time.Duration // between asking and killing
}

// order is a watchdog's instruction to its supervisor.
type order int

const (
	orderWait order = iota
	orderAsk        // ask the agent to end
	orderKill       // end it and all of its processes now
)

// watchdog decides when an agent has to end. It has no clock and no effects: it gets events
// with their times, and returns orders.
type watchdog struct {
	limits
	started    time.Time
	lastOutput time.Time
	open       map[string]bool

	why   reason
	limit time.Duration // the limit that was exceeded
	asked time.Time
	hurry bool
}

func newWatchdog(l limits, now time.Time) *watchdog {
	return &watchdog{limits: l, started: now, lastOutput: now, open: map[string]bool{}}
}

// event tracks the open tool calls.
func (w *watchdog) event(ev agent.Event) {
	switch ev.Kind {
	case agent.ToolStarted:
		w.open[ev.Call] = true
	case agent.ToolEnded:
		delete(w.open, ev.Call)
	case agent.Result:
		clear(w.open)
	}
}

// next returns the order for now, and when to call it again if nothing happens before; the zero
// time means never. It returns each order once.
func (w *watchdog) next(now time.Time) (order, time.Time) {
	if w.why == "" {
		at, why, limit := w.deadline()
		if at.IsZero() || now.Before(at) {
			return orderWait, at
		}
		w.why, w.limit = why, limit
	}
	if w.hurry {
		return orderKill, time.Time{}
	}
	if w.asked.IsZero() {
		w.asked = now
		return orderAsk, time.Time{}
	}
	if kill := w.asked.Add(w.grace); now.Before(kill) {
		return orderWait, kill
	}
	return orderKill, time.Time{}
}

// deadline returns the first limit that will be exceeded.
func (w *watchdog) deadline() (at time.Time, why reason, limit time.Duration) {
	if w.timeout > 0 {
		at, why, limit = w.started.Add(w.timeout), reasonTimeout, w.timeout
	}
	idle := w.idle
	if len(w.open) > 0 {
		idle = w.tool
	}
	if idle > 0 {
		if quiet := w.lastOutput.Add(idle); at.IsZero() || quiet.Before(at) {
			at, why, limit = quiet, reasonIdle, idle
		}
	}
	return at, why, limit
}

// interrupt asks the agent to end, unless there already is a reason.
func (w *watchdog) interrupt(why reason) {
	if w.why == "" {
		w.why = why
	}
}
