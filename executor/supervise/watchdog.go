package supervise

import (
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
)

// Limits are the limits of a watchdog. Except for grace, zero or less means none.
type Limits struct {
	Timeout time.Duration // the whole run
	Idle    time.Duration // no output, and no tool call open
	Tool    time.Duration // no output, while a tool call is open
	Grace   time.Duration // between asking and killing
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
	Limits
	started    time.Time
	LastOutput time.Time
	open       map[string]bool

	why   runfolder.Reason
	limit time.Duration // the limit that was exceeded
	asked time.Time
	hurry bool
}

// NewWatchdog returns a watchdog that begins at now.
func NewWatchdog(l Limits, now time.Time) *watchdog {
	return &watchdog{Limits: l, started: now, LastOutput: now, open: map[string]bool{}}
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
	if kill := w.asked.Add(w.Grace); now.Before(kill) {
		return orderWait, kill
	}
	return orderKill, time.Time{}
}

// deadline returns the first limit that will be exceeded.
func (w *watchdog) deadline() (at time.Time, why runfolder.Reason, limit time.Duration) {
	if w.Timeout > 0 {
		at, why, limit = w.started.Add(w.Timeout), runfolder.ReasonTimeout, w.Timeout
	}
	idle := w.Idle
	if len(w.open) > 0 {
		idle = w.Tool
	}
	if idle > 0 {
		if quiet := w.LastOutput.Add(idle); at.IsZero() || quiet.Before(at) {
			at, why, limit = quiet, runfolder.ReasonIdle, idle
		}
	}
	return at, why, limit
}

// interrupt asks the agent to end, unless there already is a reason.
func (w *watchdog) interrupt(why runfolder.Reason) {
	if w.why == "" {
		w.why = why
	}
}
