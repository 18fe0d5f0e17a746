// Package progress describes a run in words: what it does now, for a line that
// is shown again and again, or what began with an event, for lines that are
// written once.
//
// It is pure: it takes events, and returns text. All of its text is on one line
// and free of control and invisible characters, whatever an agent put into its
// tool calls.
package progress

import (
	"path/filepath"
	"strings"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/internal/invisible"
	"agentflow/internal/textwidth"
)

// State is the state of a run that goes on. It is not safe for
// concurrent use.
type State struct {
	Turns   int     // so far; 0 where the agent does not tell
	CostUSD float64 // so far; 0 where the agent does not tell

	agent string
	dir   string // taken off the paths that lie below it
	phase string
	open  []agent.Event // tool calls without an end, oldest first
	retry string        // why the agent waits for its API, until it goes on
}

// New returns the state of a run of the named agent in dir.
func New(agent, dir string) *State {
	if dir != "" {
		dir += string(filepath.Separator)
	}
	return &State{agent: agent, dir: dir}
}

// Add takes the next event.
func (s *State) Add(ev agent.Event) {
	s.retry = ""
	switch ev.Kind {
	case agent.Retry:
		s.retry = s.waiting(ev)
	case executor.EventPhase:
		s.phase, s.open = ev.Text, nil
	case agent.ToolStarted:
		s.open = append(s.open, ev)
	case agent.ToolEnded:
		s.end(ev.Call)
	case agent.Usage:
		s.Turns = max(s.Turns, ev.Turns)
	case agent.Result:
		s.Turns, s.CostUSD, s.open = max(s.Turns, ev.Turns), ev.CostUSD, nil
	}
}

func (s *State) end(call string) {
	for i, ev := range s.open {
		if ev.Call == call {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}

// Doing says what is going on now.
func (s *State) Doing() string {
	switch s.phase {
	case executor.PhaseRecall:
		return "recalling"
	case executor.PhaseBegin:
		return "taking a snapshot"
	case executor.PhaseVerify:
		return "verifying"
	case executor.PhaseFinish:
		return "recording"
	case executor.PhaseDone:
		return "done"
	}
	if s.retry != "" {
		return s.retry
	}
	if n := len(s.open); n > 0 {
		return s.agent + ": " + s.call(s.open[n-1])
	}
	return s.agent + " is working"
}

// Plain returns the line that an event is worth where nothing can be
// overwritten; empty for most events. Call it beside Add.
func (s *State) Plain(ev agent.Event) string {
	switch {
	case ev.Kind == executor.EventPhase && ev.Text == executor.PhaseAgent:
		return s.agent + " is working"
	case ev.Kind == executor.EventPhase && ev.Text == executor.PhaseVerify:
		return textwidth.Cut("verifying with "+invisible.Line(ev.Detail, maxText), plainWidth)
	case ev.Kind == agent.ToolStarted:
		return textwidth.Cut(s.agent+": "+s.call(ev), plainWidth)
	case ev.Kind == agent.Retry:
		return textwidth.Cut(s.waiting(ev), plainWidth)
	}
	return ""
}

// waiting says that the agent waits for its API.
func (s *State) waiting(ev agent.Event) string {
	text := s.agent + ": " + invisible.Line(ev.Text, maxText)
	if ev.Detail != "" {
		text += ", " + invisible.Line(ev.Detail, maxText)
	}
	return text
}

// plainWidth bounds a plain line, in cells, and maxText what an agent tells of
// itself, in characters.
const (
	plainWidth = 160
	maxText    = 400
)

func (s *State) call(ev agent.Event) string {
	return strings.TrimSpace(invisible.Line(ev.Tool, maxText) + " " + invisible.Line(strings.TrimPrefix(ev.Detail, s.dir), maxText))
}
