package app

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/uses"
)

// Hits of the user's own memory come among the others by what they know.
func TestMergedByEvidence(t *testing.T) {
	hit := func(path string, score, evidence float64) memory.Hit {
		return memory.Hit{Path: path, Score: score, Explain: &memory.Explain{Evidence: evidence}}
	}
	ours := []memory.Hit{hit("a", 1, 2), hit("b", 0.4, 1)}
	for name, c := range map[string]struct {
		global []memory.Hit
		most   int
		want   string
	}{
		"nothing there":  {nil, 5, "a b"},
		"as good":        {[]memory.Hit{hit("g", 0.9, 2)}, 5, "a global:g b"},
		"better":         {[]memory.Hit{hit("g", 1.5, 4)}, 5, "global:g a b"},
		"half as good":   {[]memory.Hit{hit("g", 0.7, 1)}, 5, "a b global:g"},
		"no room":        {[]memory.Hit{hit("g", 0.9, 2), hit("h", 0.8, 2)}, 2, "a global:g"},
		"with its entry": {[]memory.Hit{{Path: "g", Score: 1.5, Explain: &memory.Explain{Evidence: 1}, Origin: &memory.Hit{Path: "o", Score: 1.5}}}, 5, "a global:g/global:o=0.75 b"},
	} {
		var got []string
		for _, h := range merged(append([]memory.Hit{}, ours...), c.global, c.most) {
			if h.Origin != nil {
				h.Path += fmt.Sprintf("/%s=%v", h.Origin.Path, h.Origin.Score)
			}
			got = append(got, h.Path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What stood in a run's prompt, was found or looked at is counted by kind, and
// an index that is made anew loses none of it; a preview of a prompt is not
// counted.
func TestUsesAreCountedBesideTheLog(t *testing.T) {
	l := newLab(t, "")
	l.write(l.repo+"/.agentflow/memory/MEMORY.md", "# Memory\n\n- Paint dries slowly. <!-- id=fact3 -->\n- The login clock is fake. <!-- id=fact1 -->\n- ~~The login clock is real.~~ <!-- id=fact2 -->\n")
	l.write(l.repo+"/.agentflow/memory/2026-11-20.md", string(memory.Format(memory.Entry{ID: "entry1", Kind: memory.KindRun, Title: "The login clock", Task: "The login clock"})))
	for range 2 {
		l.agentflow(l.repo, "run", "-q", "--agent", "command", "Mend the login clock", "--", "true")
		l.agentflow(l.repo, "recall", "Mend the login clock")
	}
	l.agentflow(l.repo, "search", "-n", "1", "fake clock")
	l.agentflow(l.repo, "show", "entry1")
	l.agentflow(l.repo, "show", "fact1")
	before, err := uses.File{Dir: l.repo + "/.git/agentflow"}.Read()
	f, e := before["fact1"], before["entry1"]
	if err != nil || f.Prompt != 2 || e.Prompt != 2 || e.Get != 1 || f.Get != 1 || before["fact2"].Count() != 0 || f.Last.IsZero() {
		t.Errorf("%+v, %v", before, err)
	}
	stats := l.agentflow(l.repo, "memory", "stats", "--json")
	list := l.agentflow(l.repo, "memory", "list", "--sort", "uses")
	if err := os.RemoveAll(l.repo + "/.agentflow/state"); err != nil {
		t.Fatal(err)
	}
	if got := l.agentflow(l.repo, "memory", "stats", "--json"); got != stats || !strings.Contains(got, `"prompt": 2`) {
		t.Errorf("without the index\n%s\nwith it\n%s", got, stats)
	}
	if got := l.agentflow(l.repo, "memory", "list", "--sort", "uses"); got != list || strings.Index(got, "fake") > strings.Index(got, "Paint") {
		t.Errorf("the most used does not come first:\n%s", got)
	}
	if got := l.agentflow(l.repo, "memory", "list", "--sort", "uses", "--reverse", "--json"); !strings.Contains(got, `"get": 1`) {
		t.Errorf("no counts in\n%s", got)
	}
	l.agentflow(l.repo, "forget", "--purge", "--yes", "fact1")
	if after, err := (uses.File{Dir: l.repo + "/.git/agentflow"}).Read(); err != nil || after["fact1"].Count() != 0 || after["entry1"] != e {
		t.Errorf("after a purge %+v, %v", after, err)
	}
}
