package hook

import (
	"slices"
	"strings"
	"testing"

	"agentflow/app/api"
	applist "agentflow/app/list"
	"agentflow/app/why"
	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// logged returns the list of log in short form, oldest last.
func (l *lab) logged() (list []string) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	err = applist.LogPages(l.T.Context(), m, applist.LogRequest{Limit: 20}, func(res applist.LogResult) error {
		for i, r := range res.Runs {
			what := string(r.Kind)
			if r.Open {
				what = "open"
			}
			list = append(list, what+": "+res.Titles[i])
		}
		return nil
	})
	if err != nil {
		l.T.Fatal(err)
	}
	return list
}

// namesOpen checks that show reports the open session as open, by its id and by a reference.
func (l *lab) namesOpen(ref string) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	id := ""
	err = applist.LogPages(l.T.Context(), m, applist.LogRequest{Limit: 1}, func(page applist.LogResult) error {
		if len(page.Runs) > 0 && page.Runs[0].Open {
			id = page.Runs[0].ID
		}
		return nil
	})
	if err != nil || id == "" {
		l.T.Fatalf("no session is open: %v", err)
	}
	for _, ref := range []string{ref, memory.ShortID(id), id} {
		if _, err := applist.Show(l.T.Context(), m, applist.ShowRequest{Ref: ref}); err == nil || !strings.Contains(err.Error(), "session "+memory.ShortID(id)+" is open") {
			l.T.Errorf("%s: %v", ref, err)
		}
	}
}

// whyOf returns the only origin of a line.
func (l *lab) whyOf(at string) api.WhyOrigin {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	res, err := why.Why(l.T.Context(), m, why.WhyRequest{Path: at})
	if err != nil || len(res.Origins) != 1 {
		l.T.Fatalf("%s: %+v, %v", at, res, err)
	}
	return res.Origins[0]
}

// TestLogShowsWhatThereIs: open sessions come first; without runs and sessions, facts are listed.
func TestLogShowsWhatThereIs(t *testing.T) {
	l := newLab(t)
	l.remember("The tokenizer splits identifiers.")
	if got := l.logged(); !slices.Equal(got, []string{"note: The tokenizer splits identifiers."}) {
		t.Errorf("a memory of one fact: %q", got)
	}
	p := l.player()
	p.Start("startup")
	p.Turn("Add a parser", Write("parse.go", "package a\n"), Say("The parser is recursive, because the grammar nests."))
	if got := l.logged(); len(got) != 2 || got[0] != "open: Add a parser" {
		t.Errorf("an open session: %q", got)
	}
	l.namesOpen("last")
	p.Turn("Commit it", Commit("parser", "parse.go"), Say("Committed."))
	if got := l.logged(); !slices.Equal(got, []string{"session: Add a parser"}) {
		t.Errorf("nothing was asked since its entry: %q", got)
	}
	p.Turn("Now test it", Write("parse_test.go", "package a\n"), Say("Done."))
	if got := l.logged(); !slices.Equal(got, []string{"open: Now test it", "session: Add a parser"}) {
		t.Errorf("it goes on: %q", got)
	}
	p.End("prompt_input_exit")
	if got := l.logged(); !slices.Equal(got, []string{"session: Now test it", "session: Add a parser"}) {
		t.Errorf("it is over: %q", got)
	}
}

// TestWhyKnowsOpenSessions: a line that an open session wrote names the turn and its task.
func TestWhyKnowsOpenSessions(t *testing.T) {
	l := newLab(t)
	l.Write("mine.go", "package a\n")
	p := l.player()
	p.Start("startup")
	p.Turn("What is this?", Say("A test."))
	p.Turn("Add a parser", Write("parse.go", "package a\n\nfunc parse() {}\n"), Say("Done."))
	o := l.whyOf("parse.go:3")
	if o.Entry == nil || !o.Entry.Open || !slices.Equal(o.Entry.Turns, []int{2}) || o.Entry.Task != "Add a parser" || o.Entry.Agent != "claude" || o.Certainty == changeset.Possible {
		t.Fatalf("of an open session: %+v, entry %+v", o, o.Entry)
	}
	l.Write("parse.go", "package a\n\nfunc parse() {}\n\n// by hand\n")
	if o := l.whyOf("parse.go:5"); o.Entry == nil || o.Certainty == changeset.Shown {
		t.Errorf("a person wrote in it since: %+v, entry %+v", o, o.Entry)
	}
	if o := l.whyOf("mine.go:1"); o.Entry != nil || !strings.Contains(o.Remark, "a person may have") {
		t.Errorf("a file of the user's: %+v", o)
	}
}
