package memory

import (
	"testing"

	"agentflow/memory/changeset"
)

func TestPrice(t *testing.T) {
	for cost, want := range map[float64]string{0: "$0.00", 0.0033: "under $0.01", 0.005: "$0.01", 0.04: "$0.04", 12.345: "$12.35"} {
		if got := Price(cost); got != want {
			t.Errorf("%v: %q, want %q", cost, got, want)
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
		"changed":          {failed(func(e *Entry) { e.Uncommitted.Items = []changeset.Change{{Path: "a"}} }), false},
		"nobody knows":     {failed(func(e *Entry) { e.Changes.Unread = "locked" }), false},
		"a command failed": {failed(func(e *Entry) { e.Session = "" }), false},
		"nothing":          {Entry{Kind: KindRun, Session: "s", Result: &Result{Outcome: OutcomeOK, Success: true}}, true},
		"an answer":        {Entry{Kind: KindRun, Summary: "Nine.", Result: &Result{Outcome: OutcomeOK, Success: true}}, false},
		"a note":           {Entry{Kind: KindNote}, false},
	} {
		if got := c.e.Idle(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTextID(t *testing.T) {
	same := []string{"Use the Clock.", "use  the\nclock", " Use the clock... "}
	for _, s := range same[1:] {
		if TextID(s) != TextID(same[0]) {
			t.Errorf("%q and %q differ", s, same[0])
		}
	}
	for _, s := range []string{"use the CLOCK", "use the cLock", "use the clock 2", "use the clocks", "never use the clock"} {
		if TextID(s) == TextID(same[0]) {
			t.Errorf("%q and %q are the same", s, same[0])
		}
	}
	// Pinned, for ids of another day have to stay the same: SHA-256 as
	// sha256sum(1) computes it of "agentflow id\0text\0use the clock".
	if got := TextID("use the clock"); got != "a3b0a722-f6fb-8f11-96ff-3f49a76c427c" {
		t.Error(got)
	}
}
