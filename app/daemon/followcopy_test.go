package daemon_test

import (
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/internal/testing/apptest"
)

// TestFollowTellsWhatItDoesNotKeep checks that an event has the text of its fact, even if the fact's file was read at
// an earlier look and the text was not kept.
func TestFollowTellsWhatItDoesNotKeep(t *testing.T) {
	p := apptest.NewRepository(t)
	const fact = " <!-- id=0198beef-0000-7000-8000-000000000001 -->\n"
	p.Write(".agentflow/memory/2026-11-20.md", "# Notes\n\n- The clock is fake."+fact)
	p.Write(".agentflow/memory/2026-11-21.md", "# Notes\n\n- The clock is real."+fact)
	m, w := p.Memory(), daemon.FactWatch{}
	now := time.Now().Add(time.Hour) // nothing counts as just written
	look := func() []api.Event {
		now = now.Add(time.Minute)
		events, err := w.Look(t.Context(), m, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range w.Files {
			for _, s := range f.Facts {
				if s.Fact != nil {
					t.Errorf("the text of %s is kept", s.Name)
				}
			}
		}
		return events
	}
	if events := look(); len(events) != 0 {
		t.Errorf("the first look tells %+v", events)
	}
	p.Remove(".agentflow/memory/2026-11-21.md")
	events := look()
	if len(events) != 1 || events[0].Kind != api.MemoryChanged || events[0].Fact == nil || events[0].Fact.Text != "The clock is fake." {
		t.Errorf("%+v", events)
	}
}
