// Package progress says in words what a run is doing: one line that a
// terminal shows again and again, or plain lines that are written once.
//
// It is pure: it is told events and times, and returns text. All of its text
// is on one line and free of control and invisible characters, whatever an
// agent put into its tool calls.
package progress

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/memory"
)

// State is what is known of a run that goes on. It is not safe for
// concurrent use.
type State struct {
	agent   string
	dir     string // taken off the paths that lie below it
	started time.Time
	phase   string
	open    []agent.Event // tool calls without an end, oldest first
	retry   string        // why the agent waits for its API, until it goes on
	turns   int
	cost    float64
}

// New returns the state of a run of the named agent in dir that starts now.
func New(agent, dir string, now time.Time) *State {
	if dir != "" {
		dir += string(filepath.Separator)
	}
	return &State{agent: agent, dir: dir, started: now}
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
		s.turns = max(s.turns, ev.Turns)
	case agent.Result:
		s.turns, s.cost, s.open = max(s.turns, ev.Turns), ev.CostUSD, nil
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

// Line is the state in at most columns cells of a terminal, without a line
// end: who does what, for how long, for how much.
func (s *State) Line(now time.Time, columns int) string {
	parts := []string{elapsed(now.Sub(s.started))}
	if s.turns > 0 {
		parts = append(parts, plural(s.turns, "turn"))
	}
	if s.cost > 0 {
		parts = append(parts, memory.Price(s.cost))
	}
	facts := " · " + strings.Join(parts, " · ")
	what := s.what()
	// The figures are what changes: it is the description that gives way.
	if room := columns - cells(facts); room >= minDescription {
		return fit(what, room) + facts
	}
	return fit(what+facts, columns)
}

// minDescription is the least room, in cells, that a description gets beside
// the figures.
const minDescription = 12

// what is going on now.
func (s *State) what() string {
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
		return fit("verifying with "+clean(ev.Detail), plainWidth)
	case ev.Kind == agent.ToolStarted:
		return fit(s.agent+": "+s.call(ev), plainWidth)
	case ev.Kind == agent.Retry:
		return fit(s.waiting(ev), plainWidth)
	}
	return ""
}

// waiting says that the agent waits for its API.
func (s *State) waiting(ev agent.Event) string {
	text := s.agent + ": " + clean(ev.Text)
	if ev.Detail != "" {
		text += ", " + clean(ev.Detail)
	}
	return text
}

// plainWidth bounds a plain line, in cells.
const plainWidth = 160

func (s *State) call(ev agent.Event) string {
	return strings.TrimSpace(clean(ev.Tool) + " " + clean(strings.TrimPrefix(ev.Detail, s.dir)))
}

// clean puts text on one line and takes out what a terminal would obey.
func clean(text string) string {
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar
	})
	return strings.Join(fields, " ")
}

// fit cuts text to so many cells.
func fit(text string, columns int) string {
	if cells(text) <= columns {
		return text
	}
	if columns <= 0 {
		return ""
	}
	used := 1
	for i, r := range text {
		used += cell(r)
		if used > columns {
			return text[:i] + "…"
		}
	}
	return text
}

func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cell(r)
	}
	return n
}

func cell(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	return 1
}

func elapsed(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Hour {
		return d.String()
	}
	return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
