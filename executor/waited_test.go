package executor

import (
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/summary"
)

// TestWaitingIsNoWork: the time in which a turn waits for the user to refuse a call, or to answer a question, is no
// part of the session's duration.
func TestWaitingIsNoWork(t *testing.T) {
	start := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	at := func(minute int) time.Time { return start.Add(time.Duration(minute) * time.Minute) }
	s := summary.NewDialog(nil)
	for _, ev := range []agent.Event{
		{Kind: agent.Asked, Text: "Clean up", Time: at(0)},
		{Kind: agent.ToolStarted, Call: "a", Tool: "Bash", Time: at(1)},
		{Kind: agent.ToolStarted, Call: "b", Tool: "Bash", Time: at(2)},
		{Kind: agent.Denied, Call: "a", Text: "Bash rm x", Time: at(11)},
		{Kind: agent.ToolEnded, Call: "a", Failed: true, Time: at(11)},
		{Kind: agent.Denied, Call: "b", Text: "Bash rm y", Time: at(12)},
		{Kind: agent.ToolEnded, Call: "b", Failed: true, Time: at(12)},
		{Kind: agent.ToolStarted, Call: "c", Tool: "AskUserQuestion", Time: at(13)},
		{Kind: agent.ToolEnded, Call: "c", Time: at(43)},
		{Kind: agent.ToolStarted, Call: "d", Tool: "Bash", Time: at(44)},
		{Kind: agent.ToolEnded, Call: "d", Time: at(46)},
		{Kind: agent.Asked, Text: "And the rest", Time: at(100)},
		{Kind: agent.Said, Text: "Done.", Time: at(101)},
	} {
		s.Add(ev)
	}
	s.EndTurn()
	if want := 6 * time.Minute; s.Dialog.Worked != want {
		t.Errorf("worked %v, want %v", s.Dialog.Worked, want)
	}
}
