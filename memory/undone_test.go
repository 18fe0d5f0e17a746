package memory

import (
	"strings"
	"testing"
	"time"
)

var undoneAt = time.Date(2026, 11, 22, 14, 10, 0, 0, time.FixedZone("", 3600))

func TestUndoneIsABulletOfTheResult(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	run := Entry{ID: "0199aaaa", Kind: KindRun, Time: undoneAt, Title: "Task", Result: &Result{Outcome: OutcomeOK, Success: true, Turns: 2}, Remarks: []string{"pulled"}, Summary: "Done."}
	file := "# Day\n\nby hand\n\n" + string(Format(run)) + string(Format(Entry{ID: "0199bbbb", Kind: KindRun, Time: undoneAt, Result: &Result{}}))
	got, found := Parse([]byte(file)).Undone("0199aaaa", undoneAt, commit)
	want := strings.Replace(file, "- **Turns**: 2\n", "- **Turns**: 2\n- **Undone**: 2026-11-22T14:10:00+01:00 · **Reverted by**: "+commit+"\n", 1)
	if !found || string(got) != want {
		t.Fatalf("%v:\n%s", found, got)
	}
	e := Parse(got).Entries()[0]
	if !e.IsUndone() || !e.Result.Undone.Equal(undoneAt) || e.Result.RevertedBy != commit || e.Extra != "" || string(Format(*e)) != string(Parse(got).Blocks[1].Raw) {
		t.Errorf("read back it is %+v", e.Result)
	}
	if again, _ := Parse(got).Undone("0199aaaa", undoneAt.Add(time.Hour), ""); string(again) != want {
		t.Errorf("marked twice:\n%s", again)
	}
	if _, found := Parse(got).Undone("0199cccc", undoneAt, ""); found {
		t.Error("an entry that is not there was found")
	}
}

// TestUndoneWhereAPersonEdited: the mark is put in and read, whatever of the
// result is left.
func TestUndoneWhereAPersonEdited(t *testing.T) {
	const head = "## 2026-11-22 14:10 · Task\n\n<!-- agentflow v=1 kind=run id=0199aaaa time=2026-11-22T14%3A10%3A00Z outcome=ok -->\n"
	for name, body := range map[string]string{
		"no result":        "\n### Summary\nmine\n\n---\n",
		"no end":           "\n### Summary\nmine",
		"nothing":          "",
		"a heading alone":  "\n### Result\n\n### Summary\nmine\n---\n",
		"a fence below it": "\n### Result\n- **Success**: true\n```\n- **Undone**: no\n```\n---\n\nmore\n",
		"line ends of DOS": "\r\n### Result\r\n- **Success**: true\r\n\r\n---\r\n",
	} {
		got, _ := Parse([]byte(head+body)).Undone("0199aaaa", undoneAt, "")
		e := Parse(got).Entries()
		if len(e) != 1 || !e[0].IsUndone() {
			t.Errorf("%s: not undone:\n%s", name, got)
		}
		for line := range strings.Lines(head + body) {
			if !strings.Contains(string(got), strings.TrimRight(line, "\r\n")) {
				t.Errorf("%s: %q is lost in\n%s", name, line, got)
			}
		}
	}
}

func TestIdle(t *testing.T) {
	failed := func(change func(*Entry)) Entry {
		e := Entry{Kind: KindRun, Session: "s", Summary: "Not logged in", Errors: []string{"Not logged in · Please run /login"}, Result: &Result{Outcome: OutcomeFailed, Turns: 1}}
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		e    Entry
		want bool
	}{
		"not logged in": {failed(func(*Entry) {}), true},
		"agent missing": {Entry{Kind: KindRun, Result: &Result{Outcome: OutcomeNotStarted}}, true},
		"all denied": {failed(func(e *Entry) {
			e.Denials, e.Summary, e.Result.CostUSD, e.Result.Turns = []string{"Write a"}, "I may not write.", 0.1, 2
		}), true},
		"looked around":    {failed(func(e *Entry) { e.Denials, e.Summary, e.Result.Turns = []string{"Write a"}, "The cause is in a.go.", 9 }), false},
		"cost limit":       {failed(func(e *Entry) { e.Result.CostUSD = 2 }), false},
		"said more":        {failed(func(e *Entry) { e.Summary = "The cause is in a.go." }), false},
		"changed":          {failed(func(e *Entry) { e.Uncommitted.Items = []Change{{Path: "a"}} }), false},
		"nobody knows":     {failed(func(e *Entry) { e.Changes.Unread = "locked" }), false},
		"a command failed": {failed(func(e *Entry) { e.Session = "" }), false},
		"ok":               {Entry{Kind: KindRun, Session: "s", Result: &Result{Outcome: OutcomeOK, Success: true}}, false},
		"a note":           {Entry{Kind: KindNote}, false},
	} {
		if got := c.e.Idle(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
