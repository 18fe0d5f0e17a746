package hook

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/app/open"
	"agentflow/executor/turns"
	"agentflow/internal/proc"
	"agentflow/internal/testing/labtest"
	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// lab plays sessions in a repository, with hooks in this process.
type lab struct {
	*labtest.Lab
	later bool     // what hooks leave waits for settle
	left  [][]byte // what they left
	// failing means that the work that hooks left may fail
	failing bool
}

func newLab(t *testing.T) *lab {
	l := labtest.Repository(t)
	// Nothing of the run or session that the tests are part of.
	l.Env = slices.DeleteFunc(l.Env, func(v string) bool {
		return strings.HasPrefix(v, proc.TagVar+"=") || strings.HasPrefix(v, "CLAUDE") || strings.HasPrefix(v, "GIT_TRACE")
	})
	return &lab{Lab: l}
}

func (l *lab) player() *Player { return New(l.Lab, l.hook) }

func (l *lab) open(dir string) (*app.Memory, error) {
	return open.Open(l.T.Context(), dir, app.Env{Vars: l.Env})
}

// hook runs a hook, and then the work that it leaves.
func (l *lab) hook(env []string, stdin []byte) []byte {
	l.T.Helper()
	var out bytes.Buffer
	o := Options{In: bytes.NewReader(stdin), Out: &out, Agent: "claude", EnvFile: proc.Variable(env, "CLAUDE_ENV_FILE"), Project: proc.Variable(env, "CLAUDE_PROJECT_DIR"), Open: l.open}
	o.Detach = func(_ string, input []byte) error {
		l.left = append(l.left, input)
		return nil
	}
	Hook(l.T.Context(), o)
	if !l.later {
		l.work()
	}
	return out.Bytes()
}

// work does the work that hooks left.
func (l *lab) work() {
	l.T.Helper()
	for _, input := range l.left {
		if err := Work(l.T.Context(), bytes.NewReader(input), l.open); err != nil && !l.failing {
			l.T.Error(err)
		}
	}
	l.left = nil
}

// entries returns the entries of agents' work, oldest first.
func (l *lab) entries() (list []*memory.Entry) {
	l.T.Helper()
	files, err := filepath.Glob(l.Path(".agentflow/memory/2*.md"))
	if err != nil {
		l.T.Fatal(err)
	}
	for _, file := range files {
		for _, e := range markdown.Parse([]byte(l.Read(file))).Entries() {
			if e.Kind != memory.KindNote {
				list = append(list, e)
			}
		}
	}
	return list
}

// told describes an entry in a few words.
func told(e *memory.Entry) string {
	s := string(e.Kind) + ": " + e.Title
	for _, then := range e.Then {
		s += "; then " + then
	}
	for _, list := range []changeset.List{e.Changes, e.Uncommitted, e.Meanwhile} {
		s += " |"
		for _, c := range list.Items {
			s += " " + string(c.Status) + " " + c.Path
		}
	}
	for _, c := range e.Commits {
		s += " | commit " + c.Subject
	}
	for _, c := range e.PossibleCommits {
		s += " | perhaps " + c.Subject
	}
	for _, f := range e.Facts {
		s += " | fact " + f.Text
	}
	if len(e.Denials) > 0 {
		s += " | denied " + strings.Join(e.Denials, ", ")
	}
	return s
}

// want compares the entries; "?" stands for anything at the end of one.
func (l *lab) want(want ...string) {
	l.T.Helper()
	var got []string
	for _, e := range l.entries() {
		got = append(got, told(e))
	}
	if !slices.EqualFunc(got, want, func(got, want string) bool {
		begin, any := strings.CutSuffix(want, "?")
		return got == want || any && strings.HasPrefix(got, begin)
	}) {
		l.T.Errorf("entries:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// remember stores a fact as a person does.
func (l *lab) remember(text string) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err == nil {
		_, err = fact.Remember(l.T.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}})
		err = cmpErr(err, m.Close())
	}
	if err != nil {
		l.T.Fatal(err)
	}
}

// The first session says that it is remembered, and the next ones say nothing of it.
func TestGreeting(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n")
	greeted := func(source, want string) {
		t.Helper()
		p := l.player()
		if p.Start(source); p.Greeting != want {
			t.Errorf("%s: %q, want %q", source, p.Greeting, want)
		}
	}
	greeted("compact", "")
	l.disconnected()
	greeted("startup", "AgentFlow remembers this session; memory is empty so far")
	greeted("startup", "")
	l.remember("We deploy on Tuesdays.")
	l.disconnected()
	greeted("startup", "AgentFlow remembers this session. A line under a prompt says what memory added to it; without one, it added nothing")
	l.disconnected()
	l.Settings("recall_tokens = 0\n")
	greeted("startup", "AgentFlow remembers this session")
}

// disconnected removes the time of the last hook, as disconnect does.
func (l *lab) disconnected() {
	l.T.Helper()
	if err := os.Remove(filepath.Join(l.Home, "state", "agentflow", "sessions", "claude.seen")); err != nil {
		l.T.Fatal(err)
	}
}

// remembered stores a fact as if an agent had done it a week ago: new facts, and facts from a
// person, are shown at a session's beginning.
func (l *lab) remembered(text string) {
	l.T.Helper()
	at := time.Now().AddDate(0, 0, -7)
	id, err := memory.NewID(at, rand.Reader)
	if err != nil {
		l.T.Fatal(err)
	}
	e := memory.Entry{ID: id, Kind: memory.KindNote, Time: at, Facts: []memory.Fact{{ID: id, Type: memory.Semantic, Importance: 0.5, Source: memory.ByAgent, Agent: "robot", Text: text}}}
	name := ".agentflow/memory/" + memory.DayFile(at)
	before := ""
	if l.Exists(name) {
		before = l.Read(name)
	}
	l.Write(name, before+string(markdown.Format(e)))
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func TestTurnsBecomeEntries(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("What is this?", Say("A test."))
	l.want()
	p.Turn("yes", Say("Fine."))
	p.Turn("Add a parser", Write("parse.go", "package a\n"), Say("The parser is recursive, because the grammar nests."))
	p.Turn("go on", Say("There is nothing left."))
	p.Turn("Now test and commit it", Write("parse_test.go", "package a\n"), Commit("parser", "parse.go", "parse_test.go"), Say("Committed."))
	l.want("session: Add a parser; then What is this?; then Now test and commit it | A parse.go A parse_test.go | | | commit parser")
	p.Turn("Thanks", Say("You are welcome."))
	p.End("prompt_input_exit")
	l.want("session: Add a parser; then What is this?; then Now test and commit it | A parse.go A parse_test.go | | | commit parser")

	e := l.entries()[0]
	if e.Agent != "claude" || e.Session != p.ID || e.Branch != "main" || e.Summary != "The parser is recursive, because the grammar nests." || !e.Result.Success || e.Changes.Items[0].Certainty != changeset.Shown {
		t.Errorf("%+v", e)
	}
}

// afterMoments returns when the time of an earlier file is distinguishable from that of a call
// that begins now.
func afterMoments() {
	for began := time.Now(); time.Since(began) < 30*time.Millisecond; {
		runtime.Gosched()
	}
}

func TestWhenEntriesAreDue(t *testing.T) {
	change := func(p *Player, prompt, name string) { p.Turn(prompt, Write(name, "x\n"), Say("Done.")) }
	for name, c := range map[string]struct {
		play func(l *lab, p *Player)
		want []string
	}{
		"compaction": {func(_ *lab, p *Player) {
			change(p, "Do one thing", "a")
			p.Compact()
			change(p, "Do another", "b")
			p.End("other")
		}, []string{"session: Do one thing | | A a |", "session: Do another | | A b |"}},
		"nothing to tell before a compaction": {func(_ *lab, p *Player) {
			p.Turn("Ask", Say("Answer."))
			p.Compact()
			change(p, "Change", "a")
			p.End("other")
		}, []string{"session: Change; then Ask | | A a |"}},
		"clear": {func(_ *lab, p *Player) {
			change(p, "Do one thing", "a")
			p.Clear()
			change(p, "Do another", "b")
			p.End("other")
		}, []string{"session: Do one thing | | A a |", "session: Do another | | A b |"}},
		"ten turns with changes": {func(_ *lab, p *Player) {
			for n := range 11 {
				change(p, "Change "+string(rune('A'+n)), "f"+string(rune('a'+n)))
			}
		}, []string{"session: Change A; then Change B; then Change C; then Change D; then Change E; then Change F; then Change G; then Change H; then Change I; then Change J" +
			" | | A fa A fb A fc A fd A fe A ff A fg A fh A fi A fj |"}},
		"a denial": {func(_ *lab, p *Player) {
			p.Turn("Remove it all", Denied("Bash", map[string]any{"command": "rm -rf ."}), Say("I may not."))
			p.End("other")
		}, []string{"session: Remove it all | | | | denied Bash rm -rf ."}},
		"a fact": {func(_ *lab, p *Player) {
			p.Turn("What did you learn?", Say("A lot. <save_memory>Tabs are used everywhere.</save_memory>"))
			p.End("other")
		}, []string{"session: What did you learn? | | | | fact Tabs are used everywhere."}},
		"nothing": {func(_ *lab, p *Player) {
			p.Turn("What time is it?", Run("date"), Say("Late."))
			p.End("other")
		}, nil},
		"a resume": {func(_ *lab, p *Player) {
			change(p, "Do one thing", "a")
			p.End("other")
			p.Start("resume")
			change(p, "Do another", "b")
			p.End("other")
		}, []string{"session: Do one thing | | A a |", "session: Do another | | A b |"}},
		"a fork": {func(_ *lab, p *Player) {
			change(p, "Do one thing", "a")
			p.End("other")
			p.Fork()
			change(p, "Do another", "b")
			p.End("other")
		}, []string{"session: Do one thing | | A a |", "session: Do another | | A b |?"}},
		"two commits in a row": {func(_ *lab, p *Player) {
			p.Turn("Do one thing", Write("a", "x\n"), Commit("one", "a"), Say("Done."))
			p.Turn("Do another", Write("b", "x\n"), Commit("two", "b"), Say("Done."))
		}, []string{"session: one | A a | | | commit one", "session: two | A b | | | commit two"}},
		"a person edits between turns": {func(l *lab, p *Player) {
			change(p, "Do one thing", "a")
			l.Write("mine", "x\n")
			afterMoments()
			change(p, "Do another", "b")
			p.End("other")
		}, []string{"session: Do one thing; then Do another | | A a A b | A mine"}},
		"the file lags": {func(_ *lab, p *Player) {
			p.Lag = 150 * time.Millisecond
			p.Turn("Do one thing", Write("a", "x\n"), Commit("one", "a"), Say("It is done now."))
			p.Lag = 0
		}, []string{"session: one | A a | | | commit one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.player()
			p.Start("startup")
			c.play(l, p)
			l.want(c.want...)
		})
	}
}

func TestRecallInASession(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n") // this test is about the shown items, not the time
	l.remembered("The tokenizer splits identifiers at capital letters.")
	l.remembered("Deployments go through the staging cluster first.")
	l.remember("The lexer reads runes, not bytes.")
	p := l.player()
	if start := p.Start("startup"); !strings.Contains(start, "memory_store") || !strings.Contains(start, "memory_search") || memory.Tokens(start) > 1500 {
		t.Errorf("a session begins with %q", start)
	}
	const about = "Why does the tokenizer split identifiers wrongly?"
	for _, step := range []struct {
		name, prompt string
		want         bool
	}{
		{"a continuation", "yes, go on", false},
		{"a command", "/review the tokenizer identifiers", false},
		{"the end of a task", "<task-notification>\n<summary>" + about + "</summary>", false},
		{"another subject", "Write a poem about the sea", false},
		{"a match", about, true},
		{"the same again", about, false},
		{"what the session began with", "Does the lexer read runes or bytes?", false},
	} {
		context, _ := p.Turn(step.prompt, Say("Well."))
		if got := strings.Contains(context, "capital letters"); got != step.want || !step.want && context != "" {
			t.Errorf("%s: %q", step.name, context)
		}
	}
	p.Compact()
	if context, _ := p.Turn(about, Say("Well.")); !strings.Contains(context, "capital letters") {
		t.Errorf("after a compaction: %q", context)
	}
	p.Clear()
	if context, _ := p.Turn(about, Say("Well.")); !strings.Contains(context, "capital letters") {
		t.Errorf("in another session: %q", context)
	}
}

// committed stores the entry of a commit of a week ago.
func (l *lab) committed(title, path string) {
	l.T.Helper()
	at := time.Now().AddDate(0, 0, -7)
	id, err := memory.NewID(at, rand.Reader)
	if err != nil {
		l.T.Fatal(err)
	}
	e := memory.Entry{ID: id, Kind: memory.KindCommit, Time: at, Title: title, Changes: changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: path}}}}
	l.Write(path, title+"\n")
	name := ".agentflow/memory/" + memory.DayFile(at)
	before := ""
	if l.Exists(name) {
		before = l.Read(name)
	}
	l.Write(name, before+string(markdown.Format(e)))
}

// TestLikelyFilesInASession: a prompt names the files that it will likely touch, each once
// until the conversation is compacted. A prompt that only refers to the one before it is given
// nothing by the words that it happens to share.
func TestLikelyFilesInASession(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n") // this test is about the shown items, not the time
	l.committed("Fix the flaky login", "auth/login.go")
	l.committed("Retry the flaky login once", "auth/login.go")
	l.committed("Write the changelog entry of the release", "CHANGES.md")
	p := l.player()
	p.Start("startup")
	const named = "\n> auth/login.go: "
	for _, step := range []struct {
		prompt string
		want   bool
	}{
		{"The login is flaky once more", true},
		{"Why is the login still flaky?", false},
	} {
		if context, _ := p.Turn(step.prompt, Say("Well.")); strings.Contains(context, named) != step.want {
			t.Errorf("%s: %q", step.prompt, context)
		}
	}
	if context, _ := p.Turn("ok and add the changelog entry for it", Say("Well.")); context != "" {
		t.Errorf("a prompt without a subject of its own: %q", context)
	}
	if context, _ := p.Turn("Write the changelog entry of the release", Say("Well.")); !strings.Contains(context, "CHANGES.md") {
		t.Errorf("a prompt with a subject: %q", context)
	}
	p.Compact()
	if context, _ := p.Turn("The login is flaky once more", Say("Well.")); !strings.Contains(context, named) {
		t.Errorf("after a compaction: %q", context)
	}
}

// longHead is in the head of the first block that a session is shown.
const longHead = "Lines that start with"

// TestFactsOfPathsInASession: a session begins with the facts of its folder. A prompt adds
// facts that become relevant, each once, until the conversation is compacted.
func TestFactsOfPathsInASession(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n") // this test is about the shown items, not the time
	l.Write("web/src/app.ts", "export {}\n")
	l.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Say please.\n\n## web/\n\n- Take pnpm, never npm.\n\n## web/src\n\n- Name files in kebab case.\n")
	p := l.player()
	if start := p.Start("startup"); strings.Contains(start, "pnpm") || strings.Contains(start, "kebab") || !strings.Contains(start, "please") || !strings.Contains(start, longHead) {
		t.Errorf("at the root a session begins with %q", start)
	}
	for _, step := range []struct {
		prompt      string
		pnpm, kebab bool
	}{
		{"Write a poem about the sea", false, false},
		{"Have a look at web/index.html", true, false},
		{"Have a look at web/src/app.ts", false, true},
		{"Have a look at web/src/app.ts", false, false},
	} {
		context, _ := p.Turn(step.prompt, Say("Well."))
		if strings.Contains(context, "pnpm") != step.pnpm || strings.Contains(context, "kebab") != step.kebab {
			t.Errorf("%s: %q", step.prompt, context)
		}
		if strings.Contains(context, longHead) || (step.pnpm || step.kebab) && !strings.Contains(context, "More background, as above") {
			t.Errorf("how to read it is said again: %q", context)
		}
	}
	p.Compact()
	if context, _ := p.Turn("Have a look at web/src/app.ts", Say("Well.")); !strings.Contains(context, "kebab") || !strings.Contains(context, "pnpm") {
		t.Errorf("after a compaction: %q", context)
	}
	below := l.player()
	below.Dir = filepath.Join(below.Dir, "web")
	if start := below.Start("startup"); !strings.Contains(start, "pnpm") || !strings.Contains(start, "kebab") {
		t.Errorf("in web a session begins with %q", start)
	}
}

// TestRecentWorkHasItsOutcome: a session begins with recent work that has a result, and with
// failures and their reasons. Undone, interrupted and empty work is left out.
func TestRecentWorkHasItsOutcome(t *testing.T) {
	l := newLab(t)
	now := time.Now()
	var day strings.Builder
	for i, e := range []memory.Entry{
		{Title: "Write the parser", Result: &memory.Result{Success: true, Outcome: memory.OutcomeOK}},
		{Title: "Run the linter", Errors: []string{"exit 1: unsupported configuration"}, Result: &memory.Result{Outcome: memory.OutcomeFailed, ExitCode: 1}},
		{Title: "Wait for the deploy", Result: &memory.Result{Outcome: memory.OutcomeTimeout}},
		{Title: "Rename the lexer", Result: &memory.Result{Outcome: memory.OutcomeInterrupted}},
		{Title: "Drop the cache", Result: &memory.Result{Success: true, Outcome: memory.OutcomeOK, Undone: now}},
		{Title: "What is this?", Summary: "A test.", Result: &memory.Result{Success: true, Outcome: memory.OutcomeOK}},
	} {
		id, err := memory.NewID(now, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		e.ID, e.Kind, e.Time, e.Branch = id, memory.KindRun, now, "main"
		if i != 2 && i != 5 {
			e.Uncommitted.Items = []changeset.Change{{Status: changeset.StatusModified, Path: "a.go", Certainty: changeset.Shown}}
		}
		day.Write(markdown.Format(e))
	}
	l.Write(".agentflow/memory/"+memory.DayFile(now), day.String())
	start := l.player().Start("startup")
	_, list, _ := strings.Cut(start, "[recent work]")
	for text, want := range map[string]bool{
		`"Write the parser" (`: true, `"Run the linter": tried, failed: "exit 1: unsupported configuration" (`: true, `"Wait for the deploy": tried, failed: "timed out" (`: true,
		"Rename the lexer": false, "Drop the cache": false, "What is this": false,
	} {
		if strings.Contains(list, text) != want {
			t.Errorf("%s: %v, want %v, in\n%s", text, !want, want, start)
		}
	}
}

func TestASessionBeginsWithWhatWasDone(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("Add a parser", Write("parse.go", "package a\n"), Commit("parser", "parse.go"), Say("Done. <save_memory>goyacc makes the parser.</save_memory>"))
	again := p.Compact()
	if !strings.Contains(again, "in this session until now\n> ") || !strings.Contains(again, "Add a parser") {
		t.Errorf("after a compaction: %q", again)
	}
	if start := l.player().Start("startup"); !strings.Contains(start, "today and yesterday\n> ") || !strings.Contains(start, "Add a parser") {
		t.Errorf("another session begins with %q", start)
	}
	l.Git("checkout", "-q", "-b", "topic")
	if start := l.player().Start("startup"); strings.Contains(start, "Add a parser") {
		t.Errorf("on another branch a session begins with %q", start)
	}
	if _, message := p.Turn("Thanks", Say("Yes.")); !strings.Contains(message, "remembers 1 fact") {
		t.Errorf("the user is told %q", message)
	}
}

func TestWhereSessionsAreRemembered(t *testing.T) {
	play := func(l *lab, dir string) {
		p := l.player()
		p.Dir = dir
		p.Start("startup")
		p.Turn("Change", Write("new", "x\n"), Say("Done."))
		p.End("other")
	}
	const one = "session: Change | | A new |"
	for name, c := range map[string]struct {
		prepare func(l *lab) (dir string)
		want    []string
	}{
		"a sub-folder": {func(l *lab) string {
			l.Write("sub/x", "")
			l.Git("add", ".")
			l.Git("commit", "-qm", "sub")
			return l.Path("sub")
		}, []string{one}},
		"listed": {func(l *lab) string {
			l.Settings("[session]\nwhere = \"listed\"\nrepositories = [\"" + l.Repo + "\"]\n")
			return l.Repo
		}, []string{one}},
		"not listed": {func(l *lab) string {
			l.Settings("[session]\nwhere = \"listed\"\n")
			return l.Repo
		}, nil},
		"off": {func(l *lab) string {
			l.Settings("[session]\nwhere = \"off\"\n")
			return l.Repo
		}, nil},
		"memory is off": {func(l *lab) string {
			l.Write(".agentflow/config.toml", "[memory]\nenabled = false\n")
			return l.Repo
		}, nil},
		"within a run": {func(l *lab) string {
			l.Env = append(l.Env, proc.TagVar+"=x")
			return l.Repo
		}, nil},
		"a folder that is no repository": {func(l *lab) string { return t.TempDir() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			play(l, c.prepare(l))
			l.want(c.want...)
		})
	}
}

func TestInALinkedWorktree(t *testing.T) {
	l := newLab(t)
	tree := filepath.Join(filepath.Dir(l.Repo), "tree")
	l.Git("worktree", "add", "-q", "-b", "topic", tree)
	p := New(l.In(tree), l.hook)
	p.Start("startup")
	p.Turn("Change", Write("new", "x\n"), Commit("one", "new"), Say("Done."))
	l.want("session: one | A new | | | commit one")
	if e := l.entries()[0]; e.Branch != "topic" || e.Worktree != "tree" {
		t.Errorf("branch %q, work tree %q", e.Branch, e.Worktree)
	}
}

func TestTwoSessionsInOneWorktree(t *testing.T) {
	l := newLab(t)
	a, b := l.player(), l.player()
	a.Start("startup")
	b.Start("startup")
	a.Ask("Do one thing", Write("a", "x\n"))
	b.Ask("Do another", Write("b", "x\n"))
	a.Turn("Do still more", Write("a2", "x\n"), Say("Done."))
	b.Turn("further work", Commit("two", "b"), Say("Done."))
	a.End("other")
	b.End("other")
	l.want("session: two; then further work | A b | | A a A a2 | commit two", "session: Do one thing; then Do still more | | A a A a2 | A b")
}

func TestLeftSessionsAreRecorded(t *testing.T) {
	for name, old := range map[string]bool{"a moment ago": false, "half an hour ago": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			p := l.player()
			p.Start("startup")
			p.Turn("Change", Write("new", "x\n"), Say("Done."))
			p.Ask("Change more", Write("newer", "x\n"))
			p.Flush() // and then the terminal is closed
			if old {
				before := time.Now().Add(-31 * time.Minute)
				names, err := filepath.Glob(l.Path(".git/agentflow/sessions/*/*"))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range append(names, p.Transcript()) {
					if err := os.Chtimes(name, before, before); err != nil {
						t.Fatal(err)
					}
				}
			}
			m, err := l.open(l.Repo)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for range 2 {
				if _, err := list.Log(t.Context(), m, list.LogRequest{}); err != nil {
					t.Fatal(err)
				}
			}
			if !old {
				l.want()
				return
			}
			l.want("session: Change; then Change more | | A new A newer |")
			p.Turn("Begin anew", Write("late", "x\n"), Say("Done."))
			p.End("other")
			l.want("session: Change; then Change more | | A new A newer |", "session: Begin anew | | A late |?")
		})
	}
}

// TestOutsideGit: a folder with a separate memory has no change sets, but tags for facts work.
func TestOutsideGit(t *testing.T) {
	l := &lab{Lab: labtest.Folder(t)}
	l.Env = slices.DeleteFunc(l.Env, func(v string) bool { return strings.HasPrefix(v, proc.TagVar+"=") })
	l.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Reports are written in French.\n")
	p := l.player()
	if start := p.Start("startup"); !strings.Contains(start, "in French") {
		t.Errorf("the session begins with %q", start)
	}
	p.Turn("Write the report", Write("report.md", "x\n"), Say("Done. <save_memory>The report is due on Mondays.</save_memory>"))
	p.End("other")
	l.want("session: Write the report | | | | fact The report is due on Mondays.")
}

func TestOldSessionsMakeRoom(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("Change", Write("new", "x\n"), Say("Done."))
	p.End("other")
	folder, err := turns.At(l.Path(".git/agentflow/sessions"), "claude", p.ID)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.open(l.Repo)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, c := range []struct {
		age  time.Duration
		want error
	}{{29 * 24 * time.Hour, nil}, {31 * 24 * time.Hour, fs.ErrNotExist}} {
		st, err := folder.Load()
		if err == nil {
			st.Ended = time.Now().Add(-c.age)
			err = folder.Save(st)
		}
		if err == nil {
			err = yesterday(l)
		}
		if err == nil {
			_, err = list.Log(t.Context(), m, list.LogRequest{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Load(); !errors.Is(err, c.want) {
			t.Errorf("after %v: %v", c.age, err)
		}
	}
}

// yesterday has all sessions been looked at.
func yesterday(l *lab) error {
	at := time.Now().Add(-25 * time.Hour)
	err := os.Chtimes(l.Path(".git/agentflow/sessions/.swept"), at, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// TestOnlyOpenSessionsAreLookedAt: a session has a mark until it is over. One
// that lost its mark is found within a day.
func TestOnlyOpenSessionsAreLookedAt(t *testing.T) {
	l := newLab(t)
	marks := func() []string {
		names, err := filepath.Glob(l.Path(".git/agentflow/sessions/.open/*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	over := l.player()
	over.Start("startup")
	over.Turn("Change", Write("new", "x\n"), Say("Done."))
	over.End("other")
	if got := marks(); len(got) != 0 {
		t.Errorf("a session that is over has %q", got)
	}
	p := l.player()
	p.Start("startup")
	p.Turn("Change more", Write("newer", "x\n"), Say("Done."))
	if got := marks(); len(got) != 1 || filepath.Base(got[0]) != "claude-"+p.ID {
		t.Fatalf("an open session has %q", got)
	}
	if m, err := l.open(l.Repo); err != nil {
		t.Fatal(err)
	} else if _, err := list.Log(t.Context(), m, list.LogRequest{}); err != nil { // has all sessions looked at
		t.Fatal(err)
	} else if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Dir(marks()[0])), yesterday(l)); err != nil {
		t.Fatal(err)
	}
	l.restWell(p)
	l.want("session: Change | | A new |", "session: Change more | | A newer |")
	if got := marks(); len(got) != 0 {
		t.Errorf("afterwards there are %q", got)
	}
}

// TestASessionInAContainer: the process id of its agent has no meaning outside, so only idle
// time shows that it is over.
func TestASessionInAContainer(t *testing.T) {
	for began, want := range map[string][]string{"1": {"session: Change | | A new |"}, "1 another": nil} {
		t.Run(began, func(t *testing.T) {
			l := newLab(t)
			p := l.player()
			p.Start("startup")
			p.Turn("Change", Write("new", "x\n"), Say("Done."))
			folder, err := turns.At(l.Path(".git/agentflow/sessions"), "claude", p.ID)
			if err != nil {
				t.Fatal(err)
			}
			st, err := folder.Load()
			if err == nil {
				st.PID, st.PIDBegan = 1<<30, began
				err = folder.Save(st)
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := l.open(l.Repo)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := list.Log(t.Context(), m, list.LogRequest{}); err != nil {
				t.Fatal(err)
			}
			l.want(want...)
			if want == nil {
				l.restWell(p)
				l.want("session: Change | | A new |")
			}
		})
	}
}
