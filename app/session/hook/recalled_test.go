package hook

import (
	"testing"

	. "agentflow/internal/testing/sessiontest"
)

// TestWhyListsWhatWasRecalledBefore: what memory gave to a later prompt was no reason for a line.
func TestWhyListsWhatWasRecalledBefore(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("Write a first file", Write("first.go", "package first\n"), Say("It is there, because it was asked for."))
	l.remember("The ferry timetable parser must stay recursive.")
	context, _ := p.Turn("Extend the ferry timetable parser", Write("second.go", "package second\n"), Say("It is extended, because it was asked for."))
	if context == "" {
		t.Fatal("the second prompt was given nothing")
	}
	p.End("prompt_input_exit")
	for file, want := range map[string]int{"first.go:1": 0, "second.go:1": 1} {
		o := l.whyOf(file)
		if o.Entry == nil || o.Entry.Open || len(o.Entry.Facts)+len(o.Entry.Recalled) != want {
			t.Errorf("%s: %+v, entry %+v", file, o, o.Entry)
		}
	}
}
