package progress

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"agentflow/executor"
	"agentflow/executor/agent"
)

func TestStateFollowsTheRun(t *testing.T) {
	s := New("claude", "/repo")
	steps := []struct {
		ev   agent.Event
		want string
	}{
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseRecall}, "recalling"},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseAgent}, "claude is working"},
		{agent.Event{Kind: agent.Usage, Turns: 1}, "claude is working · 1 turns"},
		{agent.Event{Kind: agent.ToolStarted, Call: "a", Tool: "Edit", Detail: "/repo/auth/session.go"}, "claude: Edit auth/session.go · 1 turns"},
		{agent.Event{Kind: agent.ToolStarted, Call: "b", Tool: "Bash", Detail: "go test\x1b[2J"}, "claude: Bash go test [2J · 1 turns"},
		{agent.Event{Kind: agent.ToolEnded, Call: "b"}, "claude: Edit auth/session.go · 1 turns"},
		{agent.Event{Kind: agent.Retry, Text: "the API is overloaded (529)", Detail: "retry 2 of 10"},
			"claude: the API is overloaded (529), retry 2 of 10 · 1 turns"},
		{agent.Event{Kind: agent.Usage, Turns: 2}, "claude: Edit auth/session.go · 2 turns"},
		{agent.Event{Kind: agent.Result, Turns: 6, CostUSD: 0.04}, "claude is working · 6 turns · $0.04"},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseFinish}, "recording · 6 turns · $0.04"},
	}
	for _, step := range steps {
		s.Add(step.ev)
		if got := state(s); got != step.want {
			t.Errorf("after %+v: %q, want %q", step.ev, got, step.want)
		}
	}
}

func state(s *State) string {
	text := s.Doing()
	if s.Turns > 0 {
		text += fmt.Sprintf(" · %d turns", s.Turns)
	}
	if s.CostUSD > 0 {
		text += fmt.Sprintf(" · $%v", s.CostUSD)
	}
	return text
}

// TestProseIsWhatStandsBeforeTheAnswer: a message is returned when the agent has continued
// after it.
func TestProseIsWhatStandsBeforeTheAnswer(t *testing.T) {
	s := New("claude", "/repo")
	said := func(text string, more bool) agent.Event { return agent.Event{Kind: agent.Said, Text: text, More: more} }
	for i, test := range []struct {
		ev   agent.Event
		want string
	}{
		{agent.Event{Kind: agent.ToolStarted, Call: "a"}, ""},
		{said("Reading first.\n", false), ""},
		{agent.Event{Kind: agent.Usage}, ""},
		{agent.Event{Kind: agent.ToolStarted, Call: "b"}, "Reading first."},
		{agent.Event{Kind: agent.ToolStarted, Call: "c"}, ""},
		{said("In pie", true), ""},
		{agent.Event{Kind: agent.ToolStarted, Call: "d"}, ""},
		{said("ces.", false), ""},
		{said("The answer.", false), "In pieces."},
		{agent.Event{Kind: agent.Result, Text: "The answer."}, ""},
		{said(strings.Repeat("x", agent.MaxMessage+9), false), "The answer."}, // it was not the answer: the run continued after its result
		{said("", false), strings.Repeat("x", agent.MaxMessage)},
	} {
		if got := s.Prose(test.ev); got != test.want {
			t.Errorf("step %d: %q, want %q", i, got, test.want)
		}
	}
}

func TestPlainTellsOnlyWhatIsNew(t *testing.T) {
	s := New("codex", "/repo")
	for _, test := range []struct {
		ev   agent.Event
		want string
	}{
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseAgent}, "codex is working"},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseVerify, Detail: "go test\n./..."}, "verifying with go test ./..."},
		{agent.Event{Kind: agent.ToolStarted, Tool: "Bash", Detail: "ls\u202e"}, "codex: Bash ls"},
		{agent.Event{Kind: agent.Retry, Text: "the API is overloaded (529)", Detail: "retry 2 of 10"}, "codex: the API is overloaded (529), retry 2 of 10"},
		{agent.Event{Kind: agent.Said, Text: "hello"}, ""},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseDone}, ""},
	} {
		if got := s.Plain(test.ev); got != test.want {
			t.Errorf("%+v: %q, want %q", test.ev, got, test.want)
		}
	}
}

func FuzzDoingIsOneLine(f *testing.F) {
	f.Add("Bash", "go test ./...")
	f.Add("Wr\x1bite", "日本語のファイル名\u200b\xff")
	f.Fuzz(func(t *testing.T, tool, detail string) {
		s := New("claude", "/repo")
		s.Add(agent.Event{Kind: executor.EventPhase, Text: executor.PhaseAgent})
		s.Add(agent.Event{Kind: agent.ToolStarted, Tool: tool, Detail: detail})
		line := s.Doing()
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) || r == '\n' }) {
			t.Errorf("%q holds what a terminal obeys", line)
		}
	})
}

// TestToolsAreFewLines: many tools, and many files of one, stay a short list.
func TestToolsAreFewLines(t *testing.T) {
	s := New("claude", "/repo")
	call := func(tool, detail string) {
		s.Add(agent.Event{Kind: agent.ToolStarted, Tool: tool, Detail: detail})
	}
	for n := range 9 {
		call("Edit", fmt.Sprintf("/repo/f%d.go", n%7))
	}
	call("TodoWrite", "")
	want := []string{"Edit       9 ×  f0.go, f1.go, f2.go, f3.go and 3 more", "TodoWrite  1 ×"}
	if got := s.Tools(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for n := range 20 {
		call(fmt.Sprintf("mcp%d", n), "")
		call(fmt.Sprintf("mcp%d", n), "")
	}
	got := s.Tools()
	if len(got) != maxTools || got[maxTools-1] != "… and 15 more tools, called 30 times" {
		t.Errorf("%q", got)
	}
}
