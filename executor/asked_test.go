package executor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// TestAsked leaves out prompts that ask for nothing new.
func TestAsked(t *testing.T) {
	s := summary.NewDialog(nil)
	for _, text := range []string{"/clear", "Fix the login", "yes", "Commit that.", "now the logout", "/review", "now the logout", "Fix the login", "please commit and push all changes", "commit to Postgres as the store"} {
		s.Ask(text, time.Time{})
	}
	title, task, then := s.Asked("")
	if title != "Fix the login" || task != "Fix the login" || !slices.Equal(then, []string{"now the logout", "commit to Postgres as the store"}) {
		t.Errorf("%q, %q, %q", title, task, then)
	}
}

// TestTheMessageBehindTheChange: an interrupted turn continues with the next prompt, and an
// agent's private files are not changes.
func TestTheMessageBehindTheChange(t *testing.T) {
	write := func(s *summary.Summary, private bool) {
		s.Add(agent.Event{Kind: agent.ToolStarted, Call: "1", Writes: true, Private: private, Paths: []string{"a.go"}})
		s.Add(agent.Event{Kind: agent.ToolEnded, Call: "1"})
	}
	say := func(s *summary.Summary, text string) { s.Add(agent.Event{Kind: agent.Said, Text: text}) }
	s := summary.NewDialog(nil)
	s.Ask("Plan the cache", time.Time{})
	write(s, true)
	say(s, "The cache would be keyed by path.")
	s.Ask("Do it", time.Time{})
	write(s, false)
	s.Ask("the tests are too slow", time.Time{}) // said while a call was refused
	say(s, "The cache is keyed by content, because paths move.")
	s.Ask("commit", time.Time{})
	say(s, "Committed.")
	plain := func(text string) string { return text }
	messages := []string{"cache: hash files\n\nPaths differ between machines, so the cache is now keyed by content."}
	if got := s.Answer(plain, nil, messages, nil); got != "Paths differ between machines, so the cache is now keyed by content." {
		t.Errorf("with a commit: %q", got)
	}
	if got := s.Answer(plain, nil, nil, []string{"a.go"}); got != "The cache is keyed by content, because paths move." {
		t.Errorf("%q", got)
	}
}

// TestTheCommitThatNothingExplains: a commit's subject says more than the message "Done.".
func TestTheCommitThatNothingExplains(t *testing.T) {
	s := summary.NewDialog(nil)
	s.Ask("Fix the login", time.Time{})
	s.Add(agent.Event{Kind: agent.Said, Text: "Done."})
	plain := func(text string) string { return text }
	if got := s.Answer(plain, []changeset.Commit{{Subject: "login: accept long names"}}, nil, nil); got != "login: accept long names" {
		t.Errorf("%q", got)
	}
	if got := s.Answer(plain, nil, nil, nil); got != "Done." {
		t.Errorf("without a commit: %q", got)
	}
}

// TestTheReasonThatThePersonGave: the agent says what it did, and the person said why.
func TestTheReasonThatThePersonGave(t *testing.T) {
	s := summary.NewDialog(nil)
	s.Ask("Use one log. Every session opens its own file, so users of tail follow the wrong one.", time.Time{})
	s.Add(agent.Event{Kind: agent.Said, Text: "`log.go` writes to one file now."})
	plain := func(text string) string { return text }
	want := "Asked: \"Every session opens its own file, so users of tail follow the wrong one.\" `log.go` writes to one file now."
	if got := s.Answer(plain, nil, nil, []string{"log.go"}); got != want {
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
		s := summary.NewDialog(nil)
		s.Ask("Fix the login", time.Time{})
		for _, ev := range c.events {
			s.Add(ev)
		}
		if out, _, _ := outcomeOf((runfolder.Ending{}), s, true); out != c.want {
			t.Errorf("%s: %s, not %s", name, out, c.want)
		}
	}
}

// TestAskedForTheChange takes the title from the prompt after which the agent changed files.
func TestAskedForTheChange(t *testing.T) {
	type turn struct {
		text  string
		does  string // a file that the agent writes; "git": it runs git; with a ~: in a private file
		ended bool   // the agent was interrupted
	}
	const tree = "/work/click"
	greeting := turn{text: "hello, who are you?"}
	for name, c := range map[string]struct {
		turns []turn
		title string
		then  []string
	}{
		"greeting": {[]turn{greeting, {text: "Say in the docstring of edit() how paths are resolved", does: "src/termui.py"}, {text: "Add a changelog entry", does: "CHANGES.md"}},
			"Say in the docstring of edit() how paths are resolved", []string{"hello, who are you?", "Add a changelog entry"}},
		"question": {[]turn{{text: "where does the pager come from?", does: "git"}, {text: "rename it", does: tree + "/src/pager.py"}},
			"rename it", []string{"where does the pager come from?"}},
		"our command":        {[]turn{{text: "/recall the pager"}, {text: "Fix the pager", does: "a.py"}}, "Fix the pager", nil},
		"command that wrote": {[]turn{greeting, {text: "/fix-issue 12", does: "a.py"}}, "/fix-issue 12", []string{"hello, who are you?"}},
		"agreed plan":        {[]turn{{text: "Plan a cache of files", does: "~plan.md"}, {text: "yes", does: "cache.go"}, {text: "Now a test", does: "cache_test.go"}}, "Plan a cache of files", []string{"Now a test"}},
		"chosen option":      {[]turn{{text: "How would you store sessions?"}, {text: "go with the second, but in one table", does: "store.go"}}, "How would you store sessions?", []string{"go with the second, but in one table"}},
		"plan in words":      {[]turn{{text: "Look into the slow start"}, {text: "Implement the plan", does: "main.go"}}, "Look into the slow start", []string{"Implement the plan"}},
		"own object":         {[]turn{{text: "Review the parser"}, {text: "Implement the flag --all", does: "main.go"}}, "Implement the flag --all", []string{"Review the parser"}},
		"interrupted":        {[]turn{{text: "Fix the login", ended: true}, {text: "use the cookie, not the token", does: "login.go"}}, "Fix the login", []string{"use the cookie, not the token"}},
		"interrupted answer": {[]turn{{text: "who wrote this?", ended: true}, {text: "Fix the login", does: "login.go"}}, "Fix the login", []string{"who wrote this?"}},
		"elsewhere":          {[]turn{{text: "Try it in a scratch file", does: "/tmp/try.py"}, {text: "Fix the login", does: "login.py"}}, "Fix the login", []string{"Try it in a scratch file"}},
		"only git":           {[]turn{greeting, {text: "Rebase this on main", does: "git"}}, "Rebase this on main", []string{"hello, who are you?"}},
		"nothing changed":    {[]turn{{text: "hello"}, {text: "Why is the store a log?"}, {text: "And why one file?"}}, "Why is the store a log?", []string{"And why one file?"}},
		"first of several":   {[]turn{{text: "Fix the login", does: "a.go"}, {text: "Fix the logout", does: "b.go"}}, "Fix the login", []string{"Fix the logout"}},
	} {
		s := summary.NewDialog(nil)
		for _, turn := range c.turns {
			s.Add(agent.Event{Kind: agent.Asked, Text: turn.text})
			if turn.does != "" {
				path, private := strings.CutPrefix(turn.does, "~")
				s.Add(agent.Event{Kind: agent.ToolStarted, Call: "1", Writes: path != "git", Git: path == "git", Private: private, Paths: []string{path}})
				s.Add(agent.Event{Kind: agent.ToolEnded, Call: "1"})
			}
			if !turn.ended {
				s.Add(agent.Event{Kind: agent.Said, Text: "Done."})
			}
		}
		if title, task, then := s.Asked(tree); title != c.title || task != c.title || !slices.Equal(then, c.then) {
			t.Errorf("%s: %q, %q, %q", name, title, task, then)
		}
	}
}
