package settle

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

func TestIDSet(t *testing.T) {
	id := strings.Repeat("a1", 20)
	d := IdSet{id: true, "0123abcd": true}
	for text, want := range map[string]bool{
		"": false, id: true, "commits=" + id + " patch": true, "commits=" + id[1:]: false, "commits=" + id + "0": false,
		"left=00000000,0123abcd -->": true, "0123ABCD": false, "x0123abcd": true, "0123abcdé": true, "0123abc": false,
	} {
		if got := d.in([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestOriginals(t *testing.T) {
	h := newKnownCommits()
	h.add(&memory.Entry{ID: "1", Kind: memory.KindRun, Title: "a task", Patch: []string{"p1", "", "net"},
		Commits: []changeset.Commit{{ID: "c1", Subject: "first"}, {ID: "c2", Subject: "second"}}})
	h.add(&memory.Entry{ID: "2", Kind: memory.KindCommit, Title: "alone", Patch: []string{"p3"}, Commits: []changeset.Commit{{ID: "c3"}}})
	long := strings.Repeat("very long ", 12)
	h.add(&memory.Entry{ID: "3", Kind: memory.KindCommit, Title: memory.Title(long), Patch: []string{"p4"}, Commits: []changeset.Commit{{ID: "c4"}}}) // of an older program
	for _, c := range []struct {
		patch []string
		title string
		want  bool
	}{
		{[]string{"p4"}, memory.Title(long), true}, {[]string{"p4"}, "very…", false},
		{[]string{"p1"}, "first", true}, {[]string{"p1"}, "second", false}, {[]string{"p3"}, "alone", true},
		{[]string{"p3"}, "Reapply \"alone\"", false}, {nil, "alone", false}, {[]string{""}, "second", false},
	} {
		if got := len(h.originals(&memory.Entry{Patch: c.patch, Title: c.title})) > 0; got != c.want {
			t.Errorf("%q %s: %v", c.patch, c.title, got)
		}
	}
}

// TestReportedCommits checks which commits may get an entry, depending on the commits that they
// were made from.
func TestReportedCommits(t *testing.T) {
	rewrite := func(old, new string) hook.Event { return hook.Event{Kind: hook.KindRewrite, Old: old, New: new} }
	commit := func(id, run string) hook.Event { return hook.Event{Kind: hook.KindCommit, New: id, Run: run} }
	for name, c := range map[string]struct {
		events  []hook.Event
		came    reflog.Arrivals
		earlier map[string][]string
		settled []string
		want    []string
	}{
		"a commit":                        {events: []hook.Event{commit("a", "")}, want: []string{"a"}},
		"told twice":                      {events: []hook.Event{commit("a", ""), commit("a", "")}, came: reflog.Arrivals{Made: []string{"a", "b"}}, want: []string{"a", "b"}},
		"amended before it was settled":   {events: []hook.Event{commit("a", ""), rewrite("a", "b"), rewrite("b", "c")}, want: []string{"c"}},
		"amended after":                   {events: []hook.Event{rewrite("a", "b"), rewrite("b", "c")}, settled: []string{"a"}},
		"amended, as the reflog tells":    {came: reflog.Arrivals{Made: []string{"b"}, Amended: []reflog.Rewrite{{Old: "a", New: "b"}}}, settled: []string{"a"}},
		"rewritten long ago, and again":   {events: []hook.Event{rewrite("b", "c")}, earlier: map[string][]string{"b": {"a"}}, settled: []string{"a"}},
		"squashed, all settled":           {events: []hook.Event{rewrite("a", "c"), rewrite("b", "c")}, settled: []string{"a", "b"}},
		"squashed, one is new":            {events: []hook.Event{rewrite("a", "c"), rewrite("b", "c")}, settled: []string{"a"}, want: []string{"c"}},
		"back to what it was":             {events: []hook.Event{rewrite("a", "b"), rewrite("b", "a"), commit("d", "")}, want: []string{"d"}},
		"of a run that leaves no entry":   {events: []hook.Event{commit("a", "private"), commit("b", "other")}, came: reflog.Arrivals{Made: []string{"a"}}, want: []string{"b"}},
		"a rewrite of a commit to itself": {events: []hook.Event{rewrite("a", "a")}, want: []string{"a"}},
	} {
		if c.earlier == nil {
			c.earlier = map[string][]string{}
		}
		n := gather(c.events, c.came, c.earlier)
		n.leaveOut(func(run string) bool { return run == "private" }, c.events)
		settled := func(id string) bool { return slices.Contains(c.settled, id) }
		got := slices.DeleteFunc(n.newest(), func(id string) bool { return n.settled(id, settled) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestCommitStatus checks the status of each kind of commit that backfill meets.
func TestCommitStatus(t *testing.T) {
	at := time.Unix(1700000000, 0)
	ref := func(name string) history.Ref {
		return history.Ref{ID: strings.Repeat(name, 20), Time: at}
	}
	known := newKnownCommits()
	known.add(&memory.Entry{ID: history.EntryID(ref("aa").ID, at), Commits: []changeset.Commit{{ID: ref("aa").ID}}})
	known.add(&memory.Entry{ID: "a run", Commits: []changeset.Commit{{ID: ref("bb").ID}}})
	forgotten := []string{history.EntryID(ref("cc").ID, at), ref("dd").ID, ref("ee").ID[:changeset.ShortTaken], ref("bb").ID}
	barred := func(id string) bool { return slices.Contains(forgotten, id) }
	for name, want := range map[string]commitStatus{"aa": CommitRecorded, "bb": CommitInOther, "cc": CommitForgotten, "dd": CommitForgotten, "ee": CommitForgotten, "ff": CommitNew} {
		if got := known.Status(ref(name), barred, ReportedCommits{}, nil); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
