package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/app/propose"
	"agentflow/app/undo"
	"agentflow/app/why"
	. "agentflow/internal/testing/sessiontest"
)

// why returns the title of the entry from which lines of a file stem, as asked in a folder.
func (l *lab) why(dir, path string) string {
	l.T.Helper()
	m, err := l.open(dir)
	l.must(err)
	defer m.Close()
	res, err := why.Why(l.T.Context(), m, why.WhyRequest{Path: path})
	l.must(err)
	if len(res.Origins) != 1 || res.Origins[0].Entry == nil {
		return "unknown"
	}
	return string(res.Origins[0].Certainty) + " " + res.Origins[0].Entry.Title
}

// wantWhy compares it.
func (l *lab) wantWhy(dir, path, want string) {
	l.T.Helper()
	if got := l.why(dir, path); got != want {
		l.T.Errorf("why %s in %s: %s, want %s", path, dir, got, want)
	}
}

// elsewhere returns the last entry's list of files written in other places.
func (l *lab) elsewhere() string {
	l.T.Helper()
	entries := l.entries()
	if len(entries) == 0 {
		return "no entry"
	}
	var words []string
	for _, c := range entries[len(entries)-1].Elsewhere.Items {
		words = append(words, string(c.Status), c.Tree+"|"+c.InTree(), string(c.Certainty))
	}
	return strings.Join(words, " ")
}

func (l *lab) wantElsewhere(want string) {
	l.T.Helper()
	if got := l.elsewhere(); got != want {
		l.T.Errorf("elsewhere: %s, want %s", got, want)
	}
}

// repositoryAt makes one with a commit.
func (l *lab) repositoryAt(dir string) {
	l.T.Helper()
	l.Write(filepath.Join(dir, "notes.txt"), "one\n")
	l.Git("init", "-q", dir)
	l.Git("-C", dir, "add", ".")
	l.Git("-C", dir, "commit", "-qm", "begin")
}

// TestOtherTrees: the files that a session's file tools write outside of its working tree are
// in its entry, and why finds them there.
func TestOtherTrees(t *testing.T) {
	l := newLab(t)
	library, plain, linked := filepath.Join(l.Home, "library"), filepath.Join(l.Home, "plain"), l.Path(".claude/worktrees/topic")
	l.repositoryAt(library)
	l.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib")
	l.Git("commit", "-qm", "a submodule")
	l.Git("worktree", "add", "-q", "-b", "topic", linked)
	p := l.player()
	for _, c := range []struct{ task, file, elsewhere, dir, ask string }{
		{"Write in the linked tree", filepath.Join(linked, "parser.txt"), "A .claude/worktrees/topic|parser.txt shown", linked, "parser.txt:1"},
		{"Write in the submodule", "lib/lexer.txt", "A lib|lexer.txt shown", l.Repo, "lib/lexer.txt:1"},
		{"Change the submodule", "lib/notes.txt", "M lib|notes.txt shown", l.Repo, "lib/notes.txt:1"},
		{"Write in the other repository", filepath.Join(library, "new.txt"), "A ~/library|new.txt shown", "", ""},
		{"Write in no repository", filepath.Join(plain, "plan.txt"), "A |~/plain/plan.txt shown", "", ""},
		{"Make a plan", filepath.Join(l.Home, ".claude", "plans", "plan.md"), "", "", ""},
	} {
		before := len(l.entries())
		p.Start("startup")
		p.Turn(c.task, Write(c.file, "what "+c.task+" wrote\n"), Say("It is written."))
		p.Clear()
		if n := len(l.entries()) - before; n == 0 != (c.elsewhere == "") {
			t.Errorf("%s: %d entries", c.task, n)
			continue
		}
		if c.elsewhere != "" {
			l.wantElsewhere(c.elsewhere)
		}
		if c.ask != "" {
			l.wantWhy(c.dir, c.ask, "shown "+c.task)
		}
	}
	l.Git("-C", linked, "add", ".")
	l.Git("-C", linked, "commit", "-qm", "by the user")
	l.wantWhy(linked, "parser.txt:1", "shown Write in the linked tree")
	l.Git("merge", "-q", "topic")
	l.wantWhy(l.Repo, "parser.txt:1", "shown Write in the linked tree")
}

// TestEnteredTree: a session moves into a linked working tree that it makes, commits there, and
// leaves more uncommitted. The file that it wrote in its first tree stays listed there.
func TestEnteredTree(t *testing.T) {
	l := newLab(t)
	linked := l.Path(".claude/worktrees/entered")
	p := l.player()
	p.Start("startup")
	p.Turn("Write it in a working tree", Write("own.txt", "own\n"), Run("git worktree add -q -b entered "+linked),
		func(p *Player) { p.Dir = linked }, Write(filepath.Join(linked, "done.txt"), "done\n"),
		Commit("done", "done.txt"), Write(filepath.Join(linked, "open.txt"), "open\n"), Say("One is committed."))
	p.End("other")
	l.want("session: Write it in a working tree | A done.txt | A own.txt | | commit done")
	l.wantElsewhere("A .claude/worktrees/entered|open.txt shown")
	l.wantWhy(linked, "open.txt:1", "shown Write it in a working tree")
	l.wantWhy(linked, "done.txt:1", "shown Write it in a working tree")
}

// TestUndoOtherTrees: undo reverts the session's changes in its first working tree, and names
// the rest.
func TestUndoOtherTrees(t *testing.T) {
	l := newLab(t)
	linked := filepath.Join(l.Home, "linked")
	l.Git("worktree", "add", "-q", "-b", "topic", linked)
	p := l.player()
	p.Start("startup")
	p.Turn("Write two files", Write("own.txt", "own\n"), Write(filepath.Join(linked, "other.txt"), "other\n"), Say("Both."))
	p.End("other")
	m, err := l.open(l.Repo)
	l.must(err)
	defer m.Close()
	plan, err := undo.PlanUndo(t.Context(), m, undo.Request{Run: "last"})
	l.must(err)
	defer plan.Close()
	if strings.Join(plan.Remove, " ") != "own.txt" || strings.Join(plan.Elsewhere, " ") != "~/linked/other.txt" {
		t.Errorf("remove %q, elsewhere %q", plan.Remove, plan.Elsewhere)
	}
	_, err = plan.Apply(t.Context())
	l.must(err)
	if l.Exists("own.txt") || !l.Exists(filepath.Join(linked, "other.txt")) {
		t.Error("undo took back another file than its own")
	}
}

// TestSeparateGitDirectory: sessions in the main and in a linked working tree write one memory,
// for any place of the git directory.
func TestSeparateGitDirectory(t *testing.T) {
	l := newLab(t)
	separate, linked := filepath.Join(l.Home, "separate.git"), filepath.Join(l.Home, "linked")
	l.must(os.Rename(l.Path(".git"), separate))
	l.Write(".git", "gitdir: "+separate+"\n")
	l.Git("worktree", "add", "-q", "-b", "topic", linked)
	for _, dir := range []string{l.Repo, linked} {
		name := filepath.Base(dir)
		p := l.player()
		p.Dir = dir
		p.Start("startup")
		p.Turn("Write in "+name, Write(filepath.Join(dir, name+".txt"), name+"\n"), Say("Done."))
		p.End("other")
		l.wantWhy(dir, name+".txt:1", "shown Write in "+name)
	}
	l.want("session: Write in repo | | A repo.txt |", "session: Write in linked | | A linked.txt |")
	if _, err := os.Stat(filepath.Join(separate, ".agentflow")); err == nil {
		t.Error("there is a second memory in the git directory")
	}
}

// TestOwnWorkIsNotShown: a session's prompts get no entry of the session itself, which has
// its work in its conversation. Another session's do.
func TestOwnWorkIsNotShown(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n") // this test is about the shown items, not the time
	p := l.player()
	p.Start("startup")
	p.Turn("Let the tokenizer split identifiers at capital letters", Write("token.go", "package a\n"), Commit("Split identifiers at capital letters", "token.go"), Say("The tokenizer splits identifiers at capital letters."))
	p.Compact()
	const about = "Why does the tokenizer split identifiers at capital letters?"
	if context, _ := p.Turn(about, Say("Well.")); strings.Contains(context, "token.go") {
		t.Errorf("its own work: %q", context)
	}
	other := l.player()
	other.Start("startup")
	if context, _ := other.Turn(about, Say("Well.")); !strings.Contains(context, "> Let the tokenizer split identifiers at capital letters (token.go)") {
		t.Errorf("in another session: %q", context)
	}
}

// TestOwnFactsAreNotRepeated: a session's prompts get no fact that the session stored, by a
// tool or with a tag, even if a person accepted it. They get facts of other sessions.
func TestOwnFactsAreNotRepeated(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n") // this test is about the shown items, not the time
	p := l.player()
	p.Start("startup")
	m, err := l.open(l.Repo)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	tool := agent.NewAgentSession(m, fact.Agent{Name: "claude-code", Session: p.ID})
	p.Turn("Look at the tokenizer", Write("token.go", "package a\n"), Commit("Begin the tokenizer", "token.go"), Say("<save_memory>The tokenizer splits identifiers at capital letters.</save_memory> Done."))
	var ids []string
	for _, text := range []string{"The lexer splits numbers at underscores.", "The parser splits lists at semicolons."} {
		done, err := tool.Remember(t.Context(), fact.RememberRequest{Change: fact.Change{Text: &text}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, done.Fact.ID)
	}
	if _, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: ids[1:]}); err != nil {
		t.Fatal(err)
	}
	const about = "Where does the tokenizer split identifiers at capital letters, the lexer numbers at underscores, and the parser lists at semicolons?"
	facts := []string{"capital letters.", "underscores.", "semicolons."}
	context, _ := p.Turn(about, Say("Well."))
	for _, f := range facts {
		if strings.Contains(context, f) {
			t.Errorf("its own fact %q: %q", f, context)
		}
	}
	hasAll := func(context string) bool {
		return !slices.ContainsFunc(facts, func(f string) bool { return !strings.Contains(context, f) })
	}
	other := l.player()
	begins := other.Start("startup")
	if context, _ := other.Turn(about, Say("Well.")); !hasAll(begins + context) {
		t.Errorf("in another session: %q and %q", begins, context)
	}
	begins = p.Compact()
	if context, _ := p.Turn(about, Say("Well.")); !hasAll(begins + context) {
		t.Errorf("after a compaction: %q and %q", begins, context)
	}
}
