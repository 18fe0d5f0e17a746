package main

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/index"
	"agentflow/memory"
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

// What stood in a run's prompt is counted, once a run; looking is not.
func TestRunCountsUses(t *testing.T) {
	l := newLab(t, "")
	l.write(l.repo+"/.agentflow/memory/MEMORY.md", "# Memory\n\n- The login clock is fake. <!-- id=f1 -->\n- ~~The login clock is real.~~ <!-- id=f2 -->\n")
	l.write(l.repo+"/.agentflow/memory/2026-11-20.md", string(memory.Format(memory.Entry{ID: "e1", Kind: memory.KindRun, Title: "The login clock", Task: "The login clock"})))
	for range 2 {
		l.agentflow(l.repo, "run", "-q", "--agent", "command", "Mend the login clock", "--", "true")
		l.agentflow(l.repo, "recall", "Mend the login clock")
	}
	db, err := index.Open(t.Context(), l.repo+"/.agentflow/state/index.db", index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	uses, err := db.Uses(t.Context())
	if err != nil || uses["f1"].Count != 2 || uses["e1"].Count != 2 || uses["f2"].Count != 0 || uses["f1"].Last.IsZero() {
		t.Errorf("%+v, %v", uses, err)
	}
}
