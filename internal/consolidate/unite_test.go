package consolidate

import (
	"testing"

	"agentflow/memory"
)

// TestUnite: only the entry's facts are merged with facts that say the same. Nothing else
// changes.
func TestUnite(t *testing.T) {
	files := map[string][]byte{
		daily(2): []byte(entry(10, daysAgo(2), said(1, "Pass the clock in."), said(2, "Left as it is"))),
		daily(1): []byte(entry(11, daysAgo(1), said(3, "Left as it is"), with(said(4, "So important"), func(f *memory.Fact) { f.Importance = 1 }))),
		daily(0): []byte(entry(12, daysAgo(0), said(5, "pass the clock in"), said(6, "New"))),
	}
	in := Input{Options: defaults, Files: files, Now: now}
	after := map[string][]byte{}
	for name, text := range files {
		after[name] = text
	}
	for _, e := range Unite(in, id(12)) {
		after[e.File] = e.After
	}
	facts := all(after)
	if len(facts) != 5 {
		t.Errorf("%d facts are left: %v", len(facts), facts)
	}
	if f := facts[id(1)]; len(f.Merged) != 1 || f.Merged[0].ID != id(5) || f.Merged[0].Source == "" {
		t.Errorf("the fact knows nothing of the other: %+v", f)
	}
	if string(after[daily(1)]) != string(files[daily(1)]) {
		t.Errorf("another run's entry was changed:\n%s", after[daily(1)])
	}
	if again := Unite(Input{Options: defaults, Files: after, Now: now}, id(12)); len(again) > 0 {
		t.Errorf("a second time changes %v", again)
	}
}
