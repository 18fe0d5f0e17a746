package executor

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/executor/supervise"
	"agentflow/internal/proc"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// recalled is a Recaller that knows one entry, and records the query.
type recalled struct{ query string }

func (r *recalled) Recall(_ context.Context, task string) (Known, error) {
	r.query = task
	return Known{Known: prompt.Known{Hits: []retrieval.Hit{{
		Path: "memory/2026-11-20.md", StartLine: 3, EndLine: 9, Heading: "Clock", Date: epoch(), Kind: memory.KindRun,
		RankScore: 1, Text: "the clock is injected",
	}}, Facts: []prompt.Fact{{Fact: memory.Fact{ID: "f1", Text: "Clocks are injected."}, Path: "memory/MEMORY.md", Line: 3},
		{Fact: memory.Fact{ID: "f2", Text: "Clocks are real.", Expires: epoch()}, Path: "memory/MEMORY.md"}}},
		Degraded: []string{"vectors are not ready"}}, nil
}

func TestPrepareRecalls(t *testing.T) {
	var r recalled
	p := Prepare(t.Context(), Deps{Recall: &r}, Request{Task: "Fix the clock\n" + strings.Repeat("long ", 1000), Limits: prompt.Limits{Standing: 500}})
	if len(p.Facts) != 1 || !strings.Contains(p.Prompt, "Clocks are injected.") || strings.Contains(p.Prompt, "Clocks are real.") {
		t.Errorf("facts %+v in %s", p.Facts, p.Prompt)
	}
	if !strings.Contains(p.Prompt, "the clock is injected") || len(p.Hits) != 1 || p.Tokens == 0 {
		t.Errorf("prepared %+v", p)
	}
	if !slices.Equal(p.Degraded, []string{"vectors are not ready"}) {
		t.Errorf("degraded %q", p.Degraded)
	}
	if utf8.RuneCountInString(r.query) > MaxQuery || !strings.HasPrefix(r.query, "Fix the clock") {
		t.Errorf("asked with %d bytes", len(r.query))
	}
	for name, req := range map[string]Request{"a command": {Task: "/compact"}, "no recall": {Task: "Fix", NoRecall: true}} {
		r.query = ""
		if p := Prepare(t.Context(), Deps{Recall: &r}, req); r.query != "" || len(p.Hits) > 0 || !strings.HasSuffix(p.Prompt, req.Task) {
			t.Errorf("%s: asked with %q, prepared %+v", name, r.query, p)
		}
	}
}

func TestEnvironment(t *testing.T) {
	base := []string{
		"PATH=/bin", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID=1",
		"CLAUDE_CODE_EXECPATH=/x", "CLAUDE_CODE_SSE_PORT=1", "AI_AGENT=claude", "CLAUDE_CODE_OAUTH_TOKEN=keep",
		"CLAUDE_CODE_USE_BEDROCK=1", "GIT_TRACE_REFS=/old", "ANTHROPIC_API_KEY=keep", TokenVar + "=another",
	}
	want := []string{"PATH=/bin", "CLAUDE_CODE_OAUTH_TOKEN=keep", "CLAUDE_CODE_USE_BEDROCK=1", "ANTHROPIC_API_KEY=keep", "GIT_TRACE_REFS=/run/refs.log", TokenVar + "=own"}
	if got := environment(base, "/run/refs.log", "own"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := environment(base, "", ""); !slices.Contains(got, "GIT_TRACE_REFS=/old") || slices.Contains(got, TokenVar+"=another") {
		t.Errorf("without a folder %q", got)
	}
}

func TestInterruptedBeforeTheAgent(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(supervise.Interrupt{Signal: os.Interrupt})
	_, err := Run(ctx, l.deps, Request{Task: "x", Agent: sh(t, "touch ran")})
	if err == nil || !strings.Contains(err.Error(), "interrupt") {
		t.Errorf("error %v", err)
	}
	if len(runfolder.Folders(l.deps.RunsDir)) > 0 || len(l.shelf.entries) > 0 {
		t.Error("a run that never was left something behind")
	}
}

func TestTerminatedAndHurried(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	hurry := make(chan struct{})
	var once sync.Once
	l.deps.Hurry = hurry
	l.deps.Sink = func(ev agent.Event) {
		switch {
		case ev.Kind == agent.Said && strings.Contains(ev.Text, "ready"):
			cancel(supervise.Interrupt{Signal: syscall.SIGTERM})
		case ev.Kind == agent.Said && strings.Contains(ev.Text, "not yet"):
			once.Do(func() { close(hurry) })
		}
	}
	began := time.Now()
	rec, err := Run(ctx, l.deps, Request{
		Task: "x", Agent: sh(t, `trap 'echo not yet' TERM; echo ready; while :; do sleep 0.05; done`), Grace: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Outcome != memory.OutcomeInterrupted || !rec.Terminated || time.Since(began) > 30*time.Second {
		t.Errorf("outcome %q, terminated %v, after %v", rec.Outcome, rec.Terminated, time.Since(began))
	}
	if proc.Alive(rec.Entry.ID) {
		t.Error("something of the run is alive")
	}
}

// TestQuietProgramIsWrittenDown: the text of a program is stored even if no further text
// follows.
func TestQuietProgramIsWrittenDown(t *testing.T) {
	s := newEventStore(Deps{}.withDefaults(), nil, &summary.Summary{}, func(string) {})
	s.deps.Redact, s.said.Redact = hideSecrets, hideSecrets
	s.add(agent.Event{Kind: agent.Said, Text: "first\n", More: true})
	due := s.flushQuiet(time.Now())
	if due.IsZero() || s.summary.LastMessage != "" {
		t.Fatalf("due %v, said %q", due, s.summary.LastMessage)
	}
	if again := s.flushQuiet(due); !again.IsZero() || s.summary.LastMessage != "first\n" {
		t.Errorf("again %v, said %q", again, s.summary.LastMessage)
	}
}

// TestSaidIsExtractedInWindows: facts are found everywhere in a long message, including the
// ends of windows.
func TestSaidIsExtractedInWindows(t *testing.T) {
	var most int
	tl := summary.Summary{Streams: true, Extract: func(said []string, _ string) ([]memory.Fact, []string) {
		most = max(most, len(strings.Join(said, "")))
		return findFacts(said, "", time.Time{})
	}}
	line := strings.Repeat("x", 60_000)
	for range 60 {
		tl.Add(agent.Event{Kind: agent.Said, Text: line + "FACT{half", More: true})
		tl.Add(agent.Event{Kind: agent.Said, Text: " and half}" + line, More: true})
	}
	tl.Add(agent.Event{Kind: agent.Said})
	if facts, _ := tl.Memories(); len(facts) != 1 || facts[0].Text != "half and half" {
		t.Errorf("facts %+v", facts)
	}
	if most > summary.ExtractWindow+2*agent.MaxMessage || len(tl.LastMessage) > agent.MaxMessage {
		t.Errorf("windows of %d bytes, %d kept", most, len(tl.LastMessage))
	}
}
