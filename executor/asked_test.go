package executor

import (
	"slices"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/memory"
)

// TestAsked leaves out prompts that ask for nothing new.
func TestAsked(t *testing.T) {
	s := newSegmentSummary(nil)
	for _, text := range []string{"/clear", "Fix the login", "yes", "Commit that.", "now the logout", "/review", "now the logout", "Fix the login", "please commit and push all changes", "commit to Postgres as the store"} {
		s.ask(text, time.Time{})
	}
	title, task, then := s.asked()
	if title != "Fix the login" || task != "Fix the login" || !slices.Equal(then, []string{"now the logout", "commit to Postgres as the store"}) {
		t.Errorf("%q, %q, %q", title, task, then)
	}
}

// TestTheMessageBehindTheChange: an interrupted turn continues with the next prompt, and an
// agent's private files are not changes.
func TestTheMessageBehindTheChange(t *testing.T) {
	write := func(s *runSummary, private bool) {
		s.add(agent.Event{Kind: agent.ToolStarted, Call: "1", Writes: true, Private: private, Paths: []string{"a.go"}})
		s.add(agent.Event{Kind: agent.ToolEnded, Call: "1"})
	}
	say := func(s *runSummary, text string) { s.add(agent.Event{Kind: agent.Said, Text: text}) }
	s := newSegmentSummary(nil)
	s.ask("Plan the cache", time.Time{})
	write(s, true)
	say(s, "The cache would be keyed by path.")
	s.ask("Do it", time.Time{})
	write(s, false)
	s.ask("the tests are too slow", time.Time{}) // said while a call was refused
	say(s, "The cache is keyed by content, because paths move.")
	s.ask("commit", time.Time{})
	say(s, "Committed.")
	plain := func(text string) string { return text }
	messages := []string{"cache: hash files\n\nPaths differ between machines, so the cache is now keyed by content."}
	if got := s.answer(plain, nil, messages, nil); got != "Paths differ between machines, so the cache is now keyed by content." {
		t.Errorf("with a commit: %q", got)
	}
	if got := s.answer(plain, nil, nil, []string{"a.go"}); got != "The cache is keyed by content, because paths move." {
		t.Errorf("%q", got)
	}
}

// TestTheCommitThatNothingExplains: a commit's subject says more than the message "Done.".
func TestTheCommitThatNothingExplains(t *testing.T) {
	s := newSegmentSummary(nil)
	s.ask("Fix the login", time.Time{})
	s.add(agent.Event{Kind: agent.Said, Text: "Done."})
	plain := func(text string) string { return text }
	if got := s.answer(plain, []memory.Commit{{Subject: "login: accept long names"}}, nil, nil); got != "login: accept long names" {
		t.Errorf("%q", got)
	}
	if got := s.answer(plain, nil, nil, nil); got != "Done." {
		t.Errorf("without a commit: %q", got)
	}
}

// TestTheReasonThatThePersonGave: the agent says what it did, and the person said why.
func TestTheReasonThatThePersonGave(t *testing.T) {
	s := newSegmentSummary(nil)
	s.ask("Use one log. Every session opens its own file, so users of tail follow the wrong one.", time.Time{})
	s.add(agent.Event{Kind: agent.Said, Text: "`log.go` writes to one file now."})
	plain := func(text string) string { return text }
	want := "Asked: \"Every session opens its own file, so users of tail follow the wrong one.\" `log.go` writes to one file now."
	if got := s.answer(plain, nil, nil, []string{"log.go"}); got != want {
		t.Errorf("%q", got)
	}
}

// TestTheEndOfASession: a turn that the person interrupts did not fail, and a refused action
// leaves the work before it as it is.
func TestTheEndOfASession(t *testing.T) {
	stop := agent.Event{Kind: agent.Result, Failed: true, Text: "interrupted", Cause: agent.CauseInterrupted}
	refuse := agent.Event{Kind: agent.Denied, Text: "Bash go vet ./..."}
	for name, c := range map[string]struct {
		events []agent.Event
		want   memory.Outcome
	}{
		"interrupted":               {[]agent.Event{stop}, memory.OutcomeInterrupted},
		"refused":                   {[]agent.Event{refuse, stop}, memory.OutcomeOK},
		"refused, then interrupted": {[]agent.Event{refuse, {Kind: agent.ToolStarted, Call: "1", Tool: "Bash"}, stop}, memory.OutcomeInterrupted},
		"failed":                    {[]agent.Event{{Kind: agent.Result, Failed: true, Text: "overloaded"}}, memory.OutcomeFailed},
	} {
		s := newSegmentSummary(nil)
		s.ask("Fix the login", time.Time{})
		for _, ev := range c.events {
			s.add(ev)
		}
		if out, _, _ := (ending{}).outcome(s, true); out != c.want {
			t.Errorf("%s: %s, not %s", name, out, c.want)
		}
	}
}
