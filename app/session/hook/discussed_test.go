package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
)

const decided = "We keep SQLite, because the tool has to work without a server on every laptop. PostgreSQL stays an option for teams."

// TestDiscussions holds which sessions without changes leave an entry.
func TestDiscussions(t *testing.T) {
	ask := func(acts ...Act) func(*lab, *Player) {
		return func(_ *lab, p *Player) { p.Turn("Which database do we use?", acts...) }
	}
	own := map[string]any{"text": "We keep SQLite."}
	for name, c := range map[string]struct {
		play func(*lab, *Player)
		want string
	}{
		"a decision":         {ask(Say(decided)), "discussed: " + decided},
		"a decision, a fact": {ask(Say(decided + " <save_memory>SQLite stays.</save_memory>")), "discussed: " + decided},
		"then a closing": {func(_ *lab, p *Player) {
			p.Turn("Which database?", Say(decided))
			p.Turn("Thanks", Say("You're welcome!"))
		}, "discussed: " + decided},
		"a prompt without a topic": {func(_ *lab, p *Player) {
			p.Turn("why do we still need it?", Say("The retry was removed because the pool reconnects by itself. The old timeout stays at ten seconds."))
		}, "discussed: The old timeout stays at ten seconds."},
		"a greeting":           {ask(Say("Hello! I am ready to help with this repository, because you asked. What would you like me to do now?")), ""},
		"a refusal":            {ask(Run("ls"), Say("I don't have permission to look into the settings, so I cannot say which of the databases it is.")), ""},
		"a short answer":       {ask(Say("SQLite.")), ""},
		"a change":             {ask(Write("a.go", "package a\n"), Say(decided)), "ok: " + decided},
		"only a denial":        {ask(Denied("Bash", map[string]any{"command": "psql"}), Say("I may not.")), "ok: I may not."},
		"our tool declined":    {ask(Denied("mcp__agentflow__memory_store", own), Say("I did not store it.")), ""},
		"our plugin's tool":    {ask(Denied("mcp__plugin_agentflow_agentflow__memory_store", own), Say("I did not store it.")), ""},
		"our program":          {ask(Denied("Bash", map[string]any{"command": "agentflow remember 'We keep SQLite.'"}), Say("I did not store it.")), ""},
		"our program, another": {ask(Denied("Bash", map[string]any{"command": "agentflow status; rm -rf ."}), Say("I may not.")), "ok: I may not."},
		"declined, decided":    {ask(Denied("mcp__agentflow__memory_store", own), Say(decided)), "discussed: " + decided},
		"our command":          {func(l *lab, p *Player) { p.Turn("/why a.go:3", Say("The line was written because "+decided)) }, ""},
		"our command, then a change": {func(l *lab, p *Player) {
			p.Turn("/recall databases", Say("It was decided because of the laptops: "+decided))
			p.Turn("Write a.go", Write("a.go", "package a\n"), Say("The package has a name now, because the build needs it."))
		}, "ok: The package has a name now, because the build needs it."},
		"our command after a change": {func(l *lab, p *Player) {
			p.Turn("Write a.go", Write("a.go", "package a\n"), Say("The package has a name now, because the build needs it."))
			p.Turn("/agentflow:files databases", Say("b.go, because earlier tasks changed it: "+decided))
		}, "ok: The package has a name now, because the build needs it."},
		"only memory": {func(l *lab, p *Player) {
			l.remember(decided)
			p.Start("startup")
			p.Turn("Which database do we use?", Say("As you said: "+decided))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			p := l.player()
			p.Start("startup")
			c.play(l, p)
			p.End("other")
			got := ""
			for _, e := range l.entries() {
				got += string(e.Result.Outcome) + ": " + e.Summary
				if !e.Result.Success {
					t.Errorf("%+v", e.Result)
				}
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestChecksOfASession plays a test that fails, and passes in the end.
func TestChecksOfASession(t *testing.T) {
	l := newLab(t)
	l.must(os.WriteFile(filepath.Join(l.Repo, "test.sh"), []byte("grep -q right a.txt\n"), 0o600))
	l.Git("add", "test.sh")
	l.Git("commit", "-qm", "a test")
	p := l.player()
	p.Start("startup")
	p.Turn("Make it right", Write("a.txt", "wrong\n"), Run("sh test.sh"), Run("sh test.sh -v"), Run("sh ./scripts/lint.sh || true"), Say("Not yet."))
	p.Turn("Go on", Write("a.txt", "right\n"), Run("cd . && sh test.sh"), Run("sh test.sh 2>&1 | tail -1"), Run("sh test.sh"), Say("It is right now."))
	p.End("other")
	list := l.entries()
	if len(list) != 1 || strings.Join(list[0].Checks, ", ") != "sh test.sh -v failed, sh test.sh passed" {
		t.Errorf("%d entries, %q", len(list), list[0].Checks)
	}
	text := l.Read(".agentflow/memory/" + memory.DayFile(list[0].Time))
	if !strings.Contains(text, "\n- checks: sh test.sh -v failed, sh test.sh passed\n") {
		t.Errorf("it reads\n%s", text)
	}
}

// TestReasonsOfDenials: the words of a user who refuses a tool are in the denial's line,
// without secrets, and do not count as another prompt.
func TestReasonsOfDenials(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("Tidy up", DeniedSaying("Bash", map[string]any{"command": "rm -rf build"}, "No, keep build.\nUse make clean, password = hunter2hunter2hunter2"),
		DeniedSaying("Bash", map[string]any{"command": "rm -rf dist"}, strings.Repeat("no ", 500)), Say("I use make clean."))
	p.End("other")
	list := l.entries()
	if len(list) != 1 || len(list[0].Denials) != 2 || len(list[0].Then) != 0 {
		t.Fatalf("%+v", list)
	}
	first, second := list[0].Denials[0], list[0].Denials[1]
	if !strings.HasPrefix(first, `Bash rm -rf build: the user said "No, keep build. Use make clean, password = `) || strings.Contains(first, "hunter2") {
		t.Errorf("%q", first)
	}
	if n := len(second); n > 260 {
		t.Errorf("%d bytes: %q", n, second)
	}
}

// TestCallsThatEndLater: a call keeps its command if the session's file is read before the call
// has ended.
func TestCallsThatEndLater(t *testing.T) {
	l := newLab(t)
	l.must(os.WriteFile(filepath.Join(l.Repo, "test.sh"), []byte("grep -q right a.txt\n"), 0o600))
	p := l.player()
	p.Start("startup")
	p.Turn("Make it right", Write("a.txt", "right\n"), RunDuring("sh test.sh", func() { p.Flush(); p.Stop() }), Say("It is right."))
	p.End("other")
	if list := l.entries(); len(list) != 1 || !slices.Equal(list[0].Checks, []string{"sh test.sh passed"}) {
		t.Errorf("%d entries, %q", len(list), list[0].Checks)
	}
}
