// Package progress describes a run in words: its current activity, for a line that is updated;
// the activity that began with an event, for lines that are written once; and the agent's
// messages before its answer.
//
// It is pure: it takes events, and returns text. Each text is on one line and has no control
// or invisible characters, even if an agent puts some into its tool calls. It does not change
// the agent's messages.
package progress

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/internal/invisible"
	"agentflow/internal/textwidth"
)

// State is the state of a running agent. It is not safe for concurrent use.
type State struct {
	Turns   int     // so far; 0 if the agent does not report it
	CostUSD float64 // so far; 0 if the agent does not report it

	agent string
	dir   string // removed from the paths below it
	phase string
	open  []agent.Event // tool calls without an end, oldest first
	retry string        // why the agent waits for its API, until it continues
	used  []*toolUse    // tools that were called, in the order of their first calls
	said  string        // the agent's last message: its answer, unless it continues
	whole bool          // said has ended
}

// toolUse counts the calls of a tool and its objects.
type toolUse struct {
	name    string
	calls   int
	objects []string // distinct, in the order of their first calls
}

// New returns the state of a run of the named agent in dir.
func New(agent, dir string) *State {
	if dir != "" {
		dir += string(filepath.Separator)
	}
	return &State{agent: agent, dir: dir}
}

// Add adds the next event.
func (s *State) Add(ev agent.Event) {
	s.retry = ""
	switch ev.Kind {
	case agent.Retry:
		s.retry = s.waiting(ev)
	case executor.EventPhase:
		s.phase, s.open = ev.Text, nil
	case agent.ToolStarted:
		s.open = append(s.open, ev)
		s.count(ev)
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

func (s *State) count(ev agent.Event) {
	name := invisible.Line(ev.Tool, maxText)
	at := slices.IndexFunc(s.used, func(u *toolUse) bool { return u.name == name })
	if at < 0 {
		at = len(s.used)
		s.used = append(s.used, &toolUse{name: name})
	}
	u := s.used[at]
	u.calls++
	if object := s.object(ev); object != "" && !slices.Contains(u.objects, object) {
		u.objects = append(u.objects, object)
	}
}

// Limits of the lines from Tools.
const (
	maxTools   = 8 // lines
	maxObjects = 4 // in a line
)

// Tools returns a few lines with the called tools, the number of calls and their objects: "Edit
// 2 ×  auth/clock.go, auth/session.go".
func (s *State) Tools() (lines []string) {
	width, rest := 0, 0
	for _, u := range s.used {
		width = max(width, textwidth.Cells(u.name))
	}
	for i, u := range s.used {
		if i >= maxTools-1 && len(s.used) > maxTools {
			rest += u.calls
			continue
		}
		objects := strings.Join(u.objects[:min(len(u.objects), maxObjects)], ", ")
		if more := len(u.objects) - maxObjects; more > 0 {
			objects += fmt.Sprintf(" and %d more", more)
		}
		pad := strings.Repeat(" ", width-textwidth.Cells(u.name))
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%s  %d ×  %s", u.name, pad, u.calls, objects), " "))
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more tools, called %d times", len(s.used)-maxTools+1, rest))
	}
	return lines
}

// Doing returns the current activity.
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

// Prose returns a message of the agent when an event shows that it is not the answer, because
// the agent continued. It never returns the answer. It is for agents that call tools. Of a
// message longer than agent.MaxMessage it returns the beginning. Call it in addition to Add.
func (s *State) Prose(ev agent.Event) (before string) {
	switch ev.Kind {
	case agent.Said:
		if s.whole {
			before, s.said = s.said, ""
		}
		s.said, s.whole = agent.ClipBytes(s.said+ev.Text, agent.MaxMessage), !ev.More
	case agent.ToolStarted:
		if s.whole {
			before, s.said, s.whole = s.said, "", false
		}
	}
	return strings.TrimSpace(before)
}

// Plain returns the line for an event if output cannot be overwritten. It is empty for most
// events. Call it in addition to Add.
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

// waiting returns a line that says that the agent waits for its API.
func (s *State) waiting(ev agent.Event) string {
	text := s.agent + ": " + invisible.Line(ev.Text, maxText)
	if ev.Detail != "" {
		text += ", " + invisible.Line(ev.Detail, maxText)
	}
	return text
}

// plainWidth limits a plain line, in cells. maxText limits an agent's text in a line, in
// characters.
const (
	plainWidth = 160
	maxText    = 400
)

func (s *State) call(ev agent.Event) string {
	return strings.TrimSpace(invisible.Line(ev.Tool, maxText) + " " + s.object(ev))
}

// object returns the file that a tool works on, or the command that it runs.
func (s *State) object(ev agent.Event) string {
	return invisible.Line(strings.TrimPrefix(ev.Detail, s.dir), maxText)
}
