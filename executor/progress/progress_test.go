package progress

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/internal/terminal"
)

func start() time.Time { return time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC) }

func TestLineFollowsTheRun(t *testing.T) {
	s := New("claude", "/repo", start())
	steps := []struct {
		ev    agent.Event
		after time.Duration
		want  string
	}{
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseRecall}, 0, "recalling · 0s"},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseAgent}, time.Second, "claude is working · 1s"},
		{agent.Event{Kind: agent.Usage, Turns: 1}, time.Second, "claude is working · 1s · 1 turn"},
		{agent.Event{Kind: agent.ToolStarted, Call: "a", Tool: "Edit", Detail: "/repo/auth/session.go"}, 72 * time.Second, "claude: Edit auth/session.go · 1m12s · 1 turn"},
		{agent.Event{Kind: agent.ToolStarted, Call: "b", Tool: "Bash", Detail: "go test\x1b[2J"}, 73 * time.Second, "claude: Bash go test [2J · 1m13s · 1 turn"},
		{agent.Event{Kind: agent.ToolEnded, Call: "b"}, 74 * time.Second, "claude: Edit auth/session.go · 1m14s · 1 turn"},
		{agent.Event{Kind: agent.Retry, Text: "the API is overloaded (529)", Detail: "retry 2 of 10"}, 80 * time.Second,
			"claude: the API is overloaded (529), retry 2 of 10 · 1m20s · 1 turn"},
		{agent.Event{Kind: agent.Usage, Turns: 2}, 81 * time.Second, "claude: Edit auth/session.go · 1m21s · 2 turns"},
		{agent.Event{Kind: agent.Result, Turns: 6, CostUSD: 0.04}, 3725 * time.Second, "claude is working · 1h2m · 6 turns · $0.04"},
		{agent.Event{Kind: executor.EventPhase, Text: executor.PhaseFinish}, 3725 * time.Second, "recording · 1h2m · 6 turns · $0.04"},
	}
	for _, step := range steps {
		s.Add(step.ev)
		if got := s.Line(start().Add(step.after), 80); got != step.want {
			t.Errorf("after %+v: %q, want %q", step.ev, got, step.want)
		}
	}
}

func TestPlainTellsOnlyWhatIsNew(t *testing.T) {
	s := New("codex", "/repo", start())
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

func FuzzLineFits(f *testing.F) {
	f.Add("Bash", "go test ./...", 40)
	f.Add("Wr\x1bite", "日本語のファイル名\u200b\xff", 9)
	f.Fuzz(func(t *testing.T, tool, detail string, columns int) {
		columns = max(0, min(columns, 300))
		s := New("claude", "/repo", start())
		s.Add(agent.Event{Kind: executor.EventPhase, Text: executor.PhaseAgent})
		s.Add(agent.Event{Kind: agent.ToolStarted, Tool: tool, Detail: detail})
		line := s.Line(start().Add(time.Minute), columns)
		if n := terminal.Cells(line); n > columns {
			t.Errorf("%q takes %d cells of %d", line, n, columns)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) || r == '\n' }) {
			t.Errorf("%q holds what a terminal obeys", line)
		}
	})
}
