package writeback

import (
	"testing"

	"agentflow/memory"
)

// TestForgottenTextIsBarred holds that a forgotten fact is known by what it
// says, whichever way it went and however the log was rewritten since.
func TestForgottenTextIsBarred(t *testing.T) {
	p := newPlace(t)
	e := entry(1)
	e.Facts = []memory.Fact{{ID: entry(7).ID, Text: "The door is open."}}
	p.record(e)
	text := memory.TextID("the  door is open")
	barred := func() bool {
		is, err := p.open().Barred(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return is(text)
	}
	steps := []struct {
		name string
		do   func() error
		want bool
	}{
		{"recorded", func() error { return nil }, false},
		{"forgotten with its entry", func() error { _, err := p.open().Forget(t.Context(), e.ID); return err }, true},
		{"restored", func() error { _, err := p.open().Restore(t.Context(), []string{e.ID}); return err }, false},
		{"purged", func() error { _, err := p.open().Purge(t.Context(), []string{e.Facts[0].ID}, Traces{}); return err }, true},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := barred(); got != s.want {
			t.Errorf("%s: barred is %v", s.name, got)
		}
	}
	p.wantNowhere("The door is open")
}
