package daemon_test

import (
	"context"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/app/fact"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

// following is a listener of a memory, with its events as they arrive.
type following struct {
	t      *testing.T
	m      *app.Memory
	events chan api.Event
}

// follow starts to follow a memory, and waits for its first event.
func follow(t *testing.T, m *app.Memory) *following {
	t.Helper()
	f := &following{t, m, make(chan api.Event, 10000)}
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- daemon.Follow(ctx, m, func(e api.Event) { f.events <- e }) }()
	t.Cleanup(func() {
		end()
		if err := <-over; err != nil {
			t.Errorf("following ended: %v", err)
		}
	})
	if e := f.next(); e.Kind != api.Synced {
		t.Fatalf("the first event is %+v", e)
	}
	return f
}

// next returns the next event of any kind.
func (f *following) next() api.Event {
	f.t.Helper()
	select {
	case e := <-f.events:
		return e
	case <-time.After(20 * time.Second):
		f.t.Fatal("no event came")
		return api.Event{}
	}
}

// await returns the next event that is not about the index.
func (f *following) await(kind api.EventKind) api.Event {
	f.t.Helper()
	for {
		switch e := f.next(); {
		case e.Kind == api.Synced && kind != api.Synced:
		case e.Kind != kind:
			f.t.Fatalf("%+v came, not %s", e, kind)
		default:
			return e
		}
	}
}

func TestFollowFacts(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	f := follow(t, m)
	told := apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("Okapis are shy")}}))(t)
	if e := f.await(api.MemoryStored); e.Fact == nil || e.ID != told.Fact.ID || e.Fact.Text != "Okapis are shy" {
		t.Errorf("stored %+v, and told of %+v", told, e)
	}
}

// TestFollowEdits checks that an edited fact is not reported as stored again, and that a missing fact is reported as
// forgotten.
func TestFollowEdits(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Okapis are shy\n")
	f := follow(t, m)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Okapis are very shy\n")
	if e := f.await(api.MemoryChanged); e.Fact.Text != "Okapis are very shy" {
		t.Errorf("%+v", e.Fact)
	}
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n")
	f.await(api.MemoryForgotten)
}

// TestFollowRun checks that the start and the end of a run are reported, and its facts before its end.
func TestFollowRun(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	f := follow(t, m)
	done := apptest.RunNow(t, m, "Write a poem", "echo rose >poem; echo '<save_memory>Roses are red</save_memory>'")
	f.await(api.RunStarted)
	for e := f.next(); ; e = f.next() {
		if e.Kind != api.RunEnded {
			continue
		}
		if e.ID != done.Run.ID || e.Run.Outcome != done.Run.Outcome || !e.Run.Recorded {
			t.Errorf("%+v", e.Run)
		}
		return
	}
}
