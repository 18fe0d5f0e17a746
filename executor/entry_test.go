package executor

import (
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// TestTasksLeftAreNamed: one remark names the tasks that ended with the agent's program, or the
// first of many.
func TestTasksLeftAreNamed(t *testing.T) {
	s := &summary.Summary{}
	if got := s.LeftRemark(); got != nil {
		t.Errorf("nothing was left, and the remark is %q", got)
	}
	for range maxNamed + 5 {
		s.Add(agent.Event{Kind: agent.Left, Text: "sleep 300"})
	}
	want := "left running by the agent, and ended with it: sleep 300" + strings.Repeat(", sleep 300", maxNamed-1)
	if got := s.LeftRemark(); !slices.Equal(got, []string{want}) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFinalMessages holds that a tool call follows all messages of its turn before it.
func TestFinalMessages(t *testing.T) {
	s := summary.NewDialog(nil)
	for _, ev := range []agent.Event{{Kind: agent.Asked}, {Kind: agent.Said, Text: "a"}, {Kind: agent.Asked}, {Kind: agent.Said, Text: "b"}, {Kind: agent.Said, Text: "c"}, {Kind: agent.ToolStarted, Call: "1"}, {Kind: agent.Said, Text: "d"}} {
		s.Add(ev)
	}
	got := ""
	for _, m := range s.Said {
		if m.Final {
			got += m.Text
		}
	}
	if got != "ad" {
		t.Errorf("final are %q", got)
	}
}

// TestSummaryOfParts: a session's file is read in parts, each by a new decoder.
func TestSummaryOfParts(t *testing.T) {
	s := summary.NewDialog(nil)
	for _, ev := range []agent.Event{
		{Kind: agent.Usage, Model: "opus", Call: "m1"}, {Kind: agent.ToolStarted, Tool: "Write", Call: "t", Paths: []string{"a.go"}, Writes: true},
		{Kind: agent.Session, Session: "s"}, {Kind: agent.Denied, Call: "t"}, {Kind: agent.ToolEnded, Call: "t", Failed: true}, {Kind: agent.Denied, Call: "gone"},
		{Kind: agent.Usage, Model: "opus", Call: "m1"}, {Kind: agent.Usage, Model: "opus", Call: "m2"}, {Kind: agent.Usage, Call: "m3"},
	} {
		s.Add(ev)
	}
	if want := []string{"Write a.go", "a tool"}; s.Turns != 3 || s.Model != "opus" || !slices.Equal(s.Denials, want) || s.WritesDenied != 1 {
		t.Errorf("%d turns of %q, denied %q, %d writes; want 3 of opus, %q and 1", s.Turns, s.Model, s.Denials, s.WritesDenied, want)
	}
}

// TestWriteThatWasPutOff: a denied write is not the outcome of a session that continues.
func TestWriteThatWasPutOff(t *testing.T) {
	for continues, want := range map[bool]memory.Outcome{false: memory.OutcomeFailed, true: memory.OutcomeOK} {
		s := summary.NewDialog(nil)
		s.Add(agent.Event{Kind: agent.Asked, Text: "fix it"})
		s.Add(agent.Event{Kind: agent.Denied, Tool: "Edit", Text: "Edit a.go", Writes: true, Detail: "wait"})
		if continues {
			s.Add(agent.Event{Kind: agent.Asked, Text: "does another change fix it?"})
		}
		s.Add(agent.Event{Kind: agent.Said, Text: "Yes."})
		s.Add(agent.Event{Kind: agent.Result})
		if out, _, errs := outcomeOf((runfolder.Ending{}), s, false); out != want {
			t.Errorf("continues %t: %v, %q", continues, out, errs)
		}
	}
}

// TestIgnoredPathsStayOut: an entry leaves out ignored paths, and reports that there were some.
// They still count for the outcome.
func TestIgnoredPathsStayOut(t *testing.T) {
	l := newLab(t)
	list := func(paths ...string) changeset.List {
		var c changeset.List
		for _, p := range paths {
			c.Items = append(c.Items, changeset.Change{Status: changeset.StatusAdded, Path: p})
		}
		return c
	}
	set := changeset.Set{Changes: list("secret/a"), Uncommitted: list("secret/a", "secret/b"), Meanwhile: list("open"), Remarks: []string{"pulled 1 commit"}}
	set.Changes.Items = append(set.Changes.Items, changeset.Change{Status: changeset.StatusRenamed, Path: "c", OldPath: "secret/c"})
	l.deps.Work = &fakeWork{set: set}
	l.deps.Ignore = func(path string) bool { return strings.HasPrefix(path, "secret/") }
	rec := l.run(t, Request{Task: "x", Agent: l.scripted(t, "deny Write a.txt\nsay done")})
	e := rec.Entry
	if n := len(e.Changes.Items) + len(e.Uncommitted.Items); n != 0 || len(e.Meanwhile.Items) != 1 {
		t.Errorf("changes %v, uncommitted %v, meanwhile %v", e.Changes, e.Uncommitted, e.Meanwhile)
	}
	if want := []string{"pulled 1 commit", "left out 3 paths that [index] ignore names"}; !slices.Equal(e.Remarks, want) {
		t.Errorf("remarks %q", e.Remarks)
	}
	if rec.Outcome != memory.OutcomeOK {
		t.Errorf("outcome %s though something was written", rec.Outcome)
	}
	if len(set.Changes.Items) != 2 || set.Changes.Items[0].Path != "secret/a" {
		t.Errorf("the change set itself was edited: %v", set.Changes)
	}
}
