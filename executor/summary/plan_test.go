package summary

import (
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
)

// TestPlanInSummary: the last plan is the answer of a session that changed nothing, and only the reason of work
// that follows it.
func TestPlanInSummary(t *testing.T) {
	said := func(events ...agent.Event) *Summary {
		s := NewDialog(nil)
		s.Add(agent.Event{Kind: agent.Asked, Text: "the files have odd names"})
		for _, ev := range events {
			s.Add(ev)
		}
		return s
	}
	plain := func(text string) string { return text }
	first := agent.Event{Kind: agent.Planned, Text: "# Hash the names\n\nNames collide, because clocks jump."}
	last := agent.Event{Kind: agent.Planned, Text: "# Number the files\n\n## Context\n\nNames collide, because clocks jump."}

	const want = "Planned: Number the files. Names collide, because clocks jump."
	if got := said(first, last).Answer(plain, nil, nil, nil); got != want {
		t.Errorf("only planned: %q, want %q", got, want)
	}

	write := []agent.Event{
		last,
		{Kind: agent.ToolStarted, Tool: "Write", Call: "1", Writes: true, Paths: []string{"names.go"}},
		{Kind: agent.ToolEnded, Call: "1"},
		{Kind: agent.Said, Text: "Added a counter of files to the names."},
	}
	got := said(write...).Answer(plain, nil, nil, []string{"names.go"})
	if !strings.HasPrefix(got, "Added a counter") || strings.Contains(got, "Planned next") {
		t.Errorf("after work: %q", got)
	}

	again := append(slices.Clip(write), last)
	if got := said(again...).Answer(plain, nil, nil, []string{"names.go"}); strings.Contains(got, "Planned next") {
		t.Errorf("written again, to tick it off: %q", got)
	}
	shell := []agent.Event{last, {Kind: agent.ToolStarted, Tool: "Bash", Call: "1", Names: []string{"names.go"}}, {Kind: agent.ToolEnded, Call: "1"}, write[3]}
	if got := said(shell...).Answer(plain, nil, nil, []string{"names.go"}); strings.Contains(got, "Planned next") {
		t.Errorf("carried out by a command: %q", got)
	}
	refused := []agent.Event{last, {Kind: agent.ToolStarted, Tool: "ExitPlanMode", Call: "1"}, {Kind: agent.Denied, Call: "1", Text: "ExitPlanMode", Detail: "one counter is enough"}}
	if got := said(refused...).Answer(plain, nil, nil, nil); strings.Contains(got, "Planned") {
		t.Errorf("refused with a reason: %q", got)
	}
}
