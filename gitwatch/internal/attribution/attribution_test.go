package attribution

import (
	"fmt"
	"testing"
	"time"

	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
)

// TestAttribution judges changes of f.txt (and of files below the folder d) in a run that lasted
// from second 10 to 100.
func TestAttribution(t *testing.T) {
	at := func(s float64) time.Time { return gittest.Start.Add(time.Duration(s * float64(time.Second))) }
	during := func(c toolcalls.Call, from, to float64) toolcalls.Call { c.Began, c.Ended = at(from), at(to); return c }
	writes := func(before, after string) toolcalls.Call {
		return toolcalls.Call{Wrote: []toolcalls.Write{{Path: "f.txt", Before: before, After: after}}}
	}
	edits := func(old, text string) toolcalls.Call {
		return toolcalls.Call{Wrote: []toolcalls.Write{{Path: "f.txt", Edit: &toolcalls.Edit{Old: old, New: text}}}}
	}
	was, is := toolcalls.TextID([]byte("a\nb\n")), toolcalls.TextID([]byte("c\nd\n"))
	shell := func(names ...string) toolcalls.Call { return toolcalls.Call{Names: names} }
	seen := func(c toolcalls.Call, path string, saw, left time.Time) toolcalls.Call {
		c.Saw, c.Left = append(c.Saw, toolcalls.FileState{Path: path, ChangedAt: saw}), append(c.Left, toolcalls.FileState{Path: path, ChangedAt: left})
		return c
	}
	list := func(c ...toolcalls.Call) []toolcalls.Call { return c }
	none := time.Time{}
	for _, test := range []struct {
		name          string
		calls, others []toolcalls.Call
		silent, own   bool
		path          string // f.txt where empty
		changed       float64
		before, now   string // "v0" and "v1" where empty; "none" for no file
		want          string
	}{
		{name: "a file tool, told whole", calls: list(during(writes("v0", "v1"), 20, 21)), changed: 20.5, want: "shown"},
		{name: "and somebody after it", calls: list(during(writes("v0", "v1"), 20, 21)), changed: 30, now: "v2", want: "shown yes"},
		{name: "and somebody before it", calls: list(seen(during(writes("vX", "v1"), 20, 21), "f.txt", at(15), at(20.5))), changed: 20.5, want: "shown yes"},
		{name: "and a hook or somebody within it", calls: list(during(writes("v0", "v1"), 20, 21)), changed: 20.9, now: "v2", want: "shown unknown"},
		{name: "and somebody between two", calls: list(during(writes("v0", "v1"), 20, 21), during(seen(writes("vX", "v2"), "f.txt", at(25), at(30)), 30, 31)), changed: 30, now: "v2", want: "shown yes"},
		{name: "two of them", calls: list(during(writes("v0", "v1"), 20, 21), during(writes("v1", "v2"), 30, 31)), changed: 30.5, now: "v2", want: "shown"},
		{name: "a file tool that tells nothing, looked at", calls: list(seen(during(writes("", ""), 20, 21), "f.txt", at(5), at(20.5))), changed: 20.5, want: "shown"},
		{name: "edits that lead from the text before to the text now", calls: list(during(edits("a", "c"), 20, 21), during(edits("b", "d"), 30, 31)), changed: 30.5, before: was, now: is, want: "shown"},
		{name: "edits, and somebody's between", calls: list(during(edits("a", "C"), 20, 21), during(edits("c", "c"), 25, 26), during(edits("b", "d"), 30, 31)), changed: 30.5, before: was, now: is, want: "shown unknown"},
		{name: "edits of another text", calls: list(during(edits("a", "c"), 20, 21), during(edits("b", "d"), 30, 31)), changed: 30.5, now: is, want: "shown unknown"},
		{name: "looked at too late", calls: list(seen(during(writes("", ""), 20, 21), "f.txt", at(20.1), at(20.1))), changed: 20.1, want: "shown unknown"},
		{name: "a command that names it", calls: list(seen(during(shell("f.txt"), 20, 30), "f.txt", at(5), at(25))), changed: 25, want: "likely"},
		{name: "a pattern that names it", calls: list(during(shell("*.txt"), 20, 30)), changed: 25, want: "likely unknown"},
		{name: "by a name below any folder", calls: list(during(shell("**/f.txt"), 20, 30)), changed: 25, want: "likely unknown"},
		{name: "a command that left it as it was", calls: list(seen(during(shell("f.txt"), 20, 30), "f.txt", at(5), at(5))), changed: 40, want: ""},
		{name: "a command that names it, then somebody", calls: list(seen(during(shell("f.txt"), 20, 30), "f.txt", at(5), at(25))), changed: 40, want: "likely yes"},
		{name: "somebody, then a command that names it", calls: list(seen(during(shell("f.txt"), 20, 30), "f.txt", at(15), at(25))), changed: 25, want: "likely yes"},
		{name: "a command that does not name it", calls: list(during(shell("g.txt"), 20, 30)), changed: 25, want: "possible unknown"},
		{name: "between calls", calls: list(during(shell("f.txt"), 20, 30), during(shell(), 50, 60)), changed: 40, want: ""},
		{name: "between calls, something left running", calls: list(during(toolcalls.Call{Background: true}, 20, 30)), changed: 40, want: "possible unknown"},
		{name: "just before a call, by a clock that is behind", calls: list(during(shell(), 20, 30)), changed: 19.995, want: "possible unknown"},
		{name: "just after a call", calls: list(during(shell(), 20, 30)), changed: 30.005, want: ""},
		{name: "after the run", calls: list(during(toolcalls.Call{Background: true}, 20, 30)), changed: 140, want: ""},
		{name: "no ctime", calls: list(during(shell(), 20, 30)), want: "possible unknown"},
		{name: "no ctime, no call", want: ""},
		{name: "another run's file tool", calls: list(during(shell(), 20, 30)), others: list(during(writes("", ""), 24, 26)), changed: 25, want: ""},
		{name: "both name it", calls: list(during(shell("f.txt"), 20, 30)), others: list(during(shell("f.txt"), 24, 26)), changed: 25, want: "possible unknown"},
		{name: "an agent that tells nothing", silent: true, changed: 25, want: "possible unknown"},
		{name: "before it began", silent: true, changed: 5, want: ""},
		{name: "a work tree of its own", own: true, changed: 25, want: "likely"},
		{name: "removed by a command that names it", calls: list(seen(during(shell("f.txt"), 20, 30), "f.txt", at(5), none)), changed: 35, now: "none", want: "likely"},
		{name: "removed, nobody looked", calls: list(during(shell("f.txt"), 20, 30)), changed: 25, now: "none", want: "possible unknown"},
		{name: "removed with its folder", path: "d/f.txt", calls: list(seen(during(shell("d"), 20, 30), "d", at(5), none)), changed: 25, now: "none", want: "likely unknown"},
		{name: "removed with a folder that somebody had been in", path: "d/f.txt", calls: list(seen(during(shell("d"), 20, 30), "d", at(15), none)), changed: 25, now: "none", want: "possible unknown"},
		{name: "removed before the first call", calls: list(during(shell(), 20, 30)), changed: 15, now: "none", want: ""},
		{name: "changed in a folder that a command names", path: "d/f.txt", calls: list(during(shell("d"), 20, 30)), changed: 25, want: "possible unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			or := func(a, b string) string {
				if a == "" {
					return b
				}
				return a
			}
			repo := &repo.Place{Top: "/tree", Given: "/tree"}
			a := NewJudge(repo, toolcalls.Evidence{Tells: !test.silent, OwnTree: test.own, Started: at(10), Ended: at(100), Calls: test.calls, Others: test.others})
			before, now := or(test.before, "v0"), or(test.now, "v1")
			m := Change{
				Path: or(test.path, "f.txt"), Existed: before != toolcalls.NoText, Exists: now != toolcalls.NoText,
				Before: func() string { return before }, Now: func() string { return now }, Base: func() string { return before },
			}
			if before == was {
				m.Texts = func() [][]byte { return [][]byte{[]byte("a\nb\n")} }
			}
			if test.changed > 0 {
				m.ChangedAt = at(test.changed)
			}
			v := a.Verdict(m)
			got := string(v.Certainty)
			if v.Mixed != "" {
				got = fmt.Sprintf("%s %s", v.Certainty, v.Mixed)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// BenchmarkAttribution judges 10,000 changed paths of a run of 2,000 calls.
func BenchmarkAttribution(b *testing.B) {
	ev := toolcalls.Evidence{Tells: true, Started: gittest.Start, Ended: gittest.Start.Add(time.Hour)}
	for i := range 2000 {
		c := toolcalls.Call{Began: gittest.Start.Add(time.Duration(i) * time.Second), Names: []string{fmt.Sprintf("d%d/a", i), fmt.Sprintf("d%d/b", i)}}
		c.Ended = c.Began.Add(500 * time.Millisecond)
		ev.Calls = append(ev.Calls, c)
	}
	dir := b.TempDir()
	repo := &repo.Place{Top: dir, Given: dir}
	none := func() string { return "" }
	for b.Loop() {
		a := NewJudge(repo, ev)
		for i := range 10000 {
			a.Verdict(Change{
				Path: fmt.Sprintf("d%d/%d", i%2000, i), Existed: true, Exists: i%10 > 0, Before: none, Now: none, Base: none,
				ChangedAt: gittest.Start.Add(time.Duration(i) * 300 * time.Millisecond),
			})
		}
	}
}
