package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/internal/connect"
	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
)

// commands writes the files of the commands that connect gives to Claude.
func (l *lab) commands() {
	l.T.Helper()
	home := connect.Home{Getenv: func(string) string { return "" }, Dir: l.Home}
	for _, c := range home.Commands(true) {
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
			l.T.Fatal(err)
		}
		if err := os.WriteFile(c.Path, []byte(c.Text), 0o644); err != nil {
			l.T.Fatal(err)
		}
	}
}

// facts returns the facts that hold.
func (l *lab) facts() (facts []api.Fact) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	res, err := list.List(l.T.Context(), m, list.Request{})
	if err != nil {
		l.T.Fatal(err)
	}
	return res.Facts
}

// The words of /remember are a person's: they are in every later session, and no review has them.
func TestRememberIsTyped(t *testing.T) {
	l := newLab(t)
	l.commands()
	l.Settings("[session]\ndeadline = \"10s\"\n")
	p := l.player()
	p.Start("startup")
	context, message := p.Turn("/remember Use pnpm, never npm.", Say("AgentFlow stored it."))
	facts := l.facts()
	if len(facts) != 1 || facts[0].Text != "Use pnpm, never npm." || facts[0].Source != "hand" {
		t.Fatalf("%+v", facts)
	}
	id := memory.ShortID(facts[0].ID)
	if message != "AgentFlow: remembered as "+id || !strings.Contains(context, "Do not store them again") {
		t.Errorf("message %q, context %q", message, context)
	}
	if _, message = p.Turn("/remember Use pnpm, never npm.", Say("Memory held it.")); message != "AgentFlow: memory holds that already: "+id {
		t.Errorf("again: %q", message)
	}
	if context, _ = p.Turn("Install the packages with pnpm or npm", Say("Done.")); strings.Contains(context, "Use pnpm") {
		t.Errorf("the session that stored it is shown it again: %s", context)
	}
	context, message = p.Turn("/remember Use npm again, pnpm was dropped.", Say("Which one holds?"))
	if !strings.Contains(context, id+": Use pnpm, never npm.") || !strings.HasSuffix(message, "(about the same: "+id+`, "Use pnpm, never npm.")`) {
		t.Errorf("a close fact is not named: %s\n%s", message, context)
	}
	p.End("other")
	if list := l.reviewed(); len(list) != 0 {
		t.Errorf("it waits in review: %+v", list)
	}

	p = l.player()
	if begins := p.Start("startup"); !strings.Contains(begins, "Use pnpm, never npm.") {
		t.Errorf("it is not standing:\n%s", begins)
	}
	context, message = p.Turn("/forget "+id, Say("AgentFlow forgot it."))
	if facts := l.facts(); len(facts) != 1 || facts[0].Text != "Use npm again, pnpm was dropped." {
		t.Errorf("after /forget: %+v", facts)
	}
	if !strings.HasPrefix(message, "AgentFlow: forgot "+id+`, "Use pnpm, never npm."; to bring it back: agentflow memory restore `) || !strings.Contains(context, "(Use pnpm, never npm.)") {
		t.Errorf("message %q, context %q", message, context)
	}
	if _, message = p.Turn("/forget "+id, Say("It is gone.")); !strings.HasPrefix(message, "AgentFlow could not do that: ") {
		t.Errorf("forgotten twice: %q", message)
	}
	if facts := l.facts(); len(facts) != 1 {
		t.Errorf("%+v", facts)
	}
}

// TestForgetIsTypedInWords names the facts that the words fit, and takes none out.
func TestForgetIsTypedInWords(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n")
	l.commands()
	p := l.player()
	p.Start("startup")
	for _, words := range []string{"Run the okapi tests with tox.", "Run the zebra tests with nox.", "Deploys go out on Fridays."} {
		p.Turn("/remember "+words, Say("Kept."))
	}
	for words, want := range map[string]int{"tests": 2, "the fact about tox": 1, "the walrus": 0, "everything about deploys": 1} {
		context, message := p.Turn("/forget "+words, Say("I see."))
		if len(l.facts()) != 3 || strings.Count(message, "/forget ") != want || want > 0 && !strings.Contains(context, "Delete nothing") {
			t.Errorf("%s: %d facts, %q, %q", words, len(l.facts()), message, context)
		}
	}
}

// Words name no pinned fact, and say how many that leaves out.
func TestForgetInWordsLeavesOutPinned(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n")
	l.commands()
	p := l.player()
	p.Start("startup")
	for _, words := range []string{"Run the okapi tests with tox.", "Run the zebra tests with nox."} {
		p.Turn("/remember "+words, Say("Kept."))
	}
	const left = "left out, as words choose nothing that is pinned: "
	for i, want := range []string{"okapi tests with tox.)\n" + left + "1 item; ", "AgentFlow: nothing is forgotten.\n" + left + "2 items; "} {
		l.pin([]string{"zebra", "okapi"}[i])
		if _, message := p.Turn("/forget tests", Say("I see.")); !strings.Contains(message, want) {
			t.Errorf("with %d pinned: %q, want %q", i+1, message, want)
		}
	}
}

// pin pins the fact with a word.
func (l *lab) pin(word string) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	for _, f := range l.facts() {
		if strings.Contains(f.Text, word) {
			if _, err := fact.Pin(l.T.Context(), m, fact.PinRequest{IDs: []string{f.ID}, Pinned: true}); err != nil {
				l.T.Error(err)
			}
		}
	}
}

// Other commands of this name, and words that a command only describes, store nothing.
func TestOtherCommandsAreNotOurs(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n")
	p := l.player()
	p.Start("startup")
	p.Turn("/remember without a command of ours", Say("I stored it."))
	l.commands()
	p.Turn("/remember", Say("I stored what we found out."))
	p.Turn("/forget what we said about npm", Say("Which one?"))
	p.Turn("What does /remember do?", Say("It stores a fact."))
	l.Write(".claude/commands/remember.md", "Remind me of: $ARGUMENTS\n")
	p.Turn("/remember the milk", Say("I remind you."))
	if facts := l.facts(); len(facts) != 0 {
		t.Errorf("%+v", facts)
	}
}

// A hook that was too slow leaves the words to the process that works for it.
func TestRememberIsTypedLate(t *testing.T) {
	l := newLab(t)
	l.commands()
	l.later = true
	p := l.player()
	p.Start("startup")
	p.Ask("Use pnpm, never npm.")
	late := strings.NewReplacer(`"Prompt":"Use`, `"Prompt":"/remember Use`, `"Slow":false`, `"Slow":true`)
	for i, job := range l.left {
		l.left[i] = []byte(late.Replace(string(job)))
	}
	for range 2 { // to do it again changes nothing
		left := l.left
		l.work()
		l.left = left
		if facts := l.facts(); len(facts) != 1 || facts[0].Source != "hand" {
			t.Fatalf("%+v", facts)
		}
	}
}
