//go:build e2e

package main_test

import (
	"strings"

	. "agentflow/internal/testing/modeltest"
)

// prompt returns the n-th prompt as the server received it.
func (l *lab) prompt(n int) string {
	l.Helper()
	prompts := l.server.Prompts()
	if len(prompts) <= n {
		l.Fatalf("the server received %d prompts: %.2000q", len(prompts), prompts)
	}
	return prompts[n]
}

func secondRunKnowsFirst(l *lab) {
	l.config(allowGit)
	l.answer(Script{Main: []Turn{
		Use("Read", in{"file_path": l.project + "/main.go"}), // an unread file cannot be edited
		Use("Edit", in{"file_path": l.project + "/main.go", "old_string": "hello", "new_string": "goodbye"}),
		Use("Bash", in{"command": "git commit -q -m 'set the clock' -- main.go", "description": "Commit"}),
		Say("The login test raced the real clock; it sets the clock now. <save_memory>Login tests never wait for real time.</save_memory>"),
		Say("Because it raced."),
	}})
	first, second := "Fix the flaky login test", "Why did we change the clock in the login test?"
	if r := l.runJSON(0, first); len(r.Commits) != 1 {
		l.Fatalf("first run %+v", r)
	}
	r := l.runJSON(0, second)

	if got := strings.TrimSpace(l.prompt(0)); !strings.HasSuffix(got, first) || strings.Contains(got, "raced the real clock") {
		l.Errorf("first prompt %q", got)
	}
	got := l.prompt(1)
	for _, want := range []string{first, "raced the real clock", "Login tests never wait for real time.", l.git("rev-parse", "--short=7", "HEAD")} {
		if !strings.Contains(got, want) {
			l.Errorf("the second prompt does not hold %q:\n%s", want, got)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(got), second) {
		l.Errorf("the second prompt does not end with its task:\n%s", got)
	}
	if len(r.Hits) != 1 || !strings.Contains(r.Hits[0].Heading, first) {
		l.Errorf("hits %v", r.Hits)
	}
	if block := strings.TrimSpace(l.run(0, "recall", second).stdout); block == "" || !strings.Contains(l.run(0, "recall", "--json", second).stdout, "raced the real clock") {
		l.Errorf("recall gives %q", block)
	}
}

func slashCommand(l *lab) {
	l.write(".claude/commands/greet.md", "Say hello in French to $ARGUMENTS.\n")
	l.answer(Script{Main: []Turn{Say("Noted: greet Ada in French."), Say("Bonjour Ada!")}})
	l.run(0, "run", "Remember how to greet Ada in French")
	f := l.run(0, "run", "/greet Ada")
	if f.stdout != "Bonjour Ada!\n" {
		l.Errorf("stdout %q", f.stdout)
	}
	got := l.prompt(1)
	if !strings.Contains(got, "Say hello in French to Ada.") || strings.Contains(got, "Noted:") || strings.Contains(got, "save_memory") {
		l.Errorf("the command's prompt is %q", got)
	}
	if l.entries("/greet Ada") != 1 {
		l.Errorf("memory:\n%s", l.memory())
	}
}

func resume(l *lab) {
	l.answer(Script{Main: []Turn{Say("The word is heron."), Say("It was heron.")}})
	first := l.runJSON(0, "Tell me a word")
	second := l.runJSON(0, "--resume", "last", "Which word was it?")
	if first.SessionID == "" || second.SessionID != first.SessionID {
		l.Errorf("sessions %q and %q", first.SessionID, second.SessionID)
	}
	requests := l.server.Requests(Main)
	if len(requests) != 2 {
		l.Fatalf("%d requests", len(requests))
	}
	body := string(requests[1].Body)
	if !strings.Contains(body, "Tell me a word") || !strings.Contains(body, "The word is heron.") {
		l.Error("the second request does not hold the first conversation")
	}
	if got := l.prompt(1); !strings.HasSuffix(strings.TrimSpace(got), "Which word was it?") {
		l.Errorf("the second prompt is %q", got)
	}
	if second.ID == first.ID || l.entries("Which word was it?") != 1 {
		l.Errorf("memory:\n%s", l.memory())
	}
}
