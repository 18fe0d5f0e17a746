package daemon_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
)

// tells makes the reader of a followed memory report n runs, numbered from from.
func tells(m *app.Memory, from, n int) {
	r := daemon.FollowersOf(m).Reader
	r.Mu.Lock()
	defer r.Mu.Unlock()
	var events []api.Event
	for i := range n {
		events = append(events, api.Event{Kind: api.RunProgress, ID: fmt.Sprint(from + i)})
	}
	r.Tell(events)
}

// TestSlowListener checks that events without room are counted in one event after the waiting ones, and that the
// listener then receives all events again. Other listeners miss nothing.
func TestSlowListener(t *testing.T) {
	const waits, extra = 256, 1000
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	f := follow(t, m)
	heard, again := make(chan api.Event), make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- daemon.Follow(ctx, m, func(e api.Event) { heard <- e; <-again }) }()
	if e := <-heard; e.Kind != api.Synced {
		t.Errorf("first came %+v", e)
	}
	for n := range waits + extra { // the listener blocks in the first event
		tells(m, n, 1)
		if e := f.await(api.RunProgress); e.ID != fmt.Sprint(n) {
			t.Fatalf("the other hears %+v", e)
		}
	}
	for n := range waits {
		again <- struct{}{}
		if e := <-heard; e.ID != fmt.Sprint(n) {
			t.Fatalf("%d: %+v", n, e)
		}
	}
	tells(m, 5000, 1) // there is room, but the count of missed events comes first
	again <- struct{}{}
	if e := <-heard; e.Kind != api.Missed || e.Count < extra {
		t.Errorf("then came %+v", e)
	}
	tells(m, 6000, 1)
	again <- struct{}{}
	for e := <-heard; e.ID != "6000"; e = <-heard {
		if e.Kind == api.Missed || e.ID != "5000" && e.Kind == api.RunProgress {
			t.Errorf("%+v", e)
		}
		again <- struct{}{}
	}
	end()
	again <- struct{}{}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// TestManyListeners checks that a hundred listeners that never read hold no more than their bound, and that nothing
// remains when they are gone.
func TestManyListeners(t *testing.T) {
	const many, waits = 100, 256
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	before := runtime.NumGoroutine()
	for range 2 { // a listener that joins after all others left gets the same as the first
		ctx, end := context.WithCancel(t.Context())
		var busy, all sync.WaitGroup
		again := make(chan struct{})
		busy.Add(many)
		for range many {
			all.Go(func() {
				first := true
				if err := daemon.Follow(ctx, m, func(api.Event) {
					if first {
						first = false
						busy.Done()
						<-again
					}
				}); err != nil {
					t.Error(err)
				}
			})
		}
		busy.Wait()
		if n := runtime.NumGoroutine() - before; n > many+20 {
			t.Errorf("%d listeners have %d goroutines", many, n)
		}
		tells(m, 0, 10_000)
		r := daemon.FollowersOf(m).Reader
		r.Mu.Lock()
		if len(r.Listeners) != many {
			t.Errorf("%d listen", len(r.Listeners))
		}
		for q := range r.Listeners {
			if n, room := len(q.Events), cap(q.Events); n > waits || room > 2*waits || q.Missed < 10_000-waits {
				t.Errorf("%d events wait for one, with room for %d, and %d are missed", n, room, q.Missed)
			}
		}
		r.Mu.Unlock()
		end()
		close(again)
		all.Wait()
		if daemon.FollowersOf(m).Count != 0 {
			t.Errorf("%d listen when all are gone", daemon.FollowersOf(m).Count)
		}
		labtest.Await(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before })
	}
}

// TestListenersComeAndGo adds and removes listeners at once, next to one that stays.
func TestListenersComeAndGo(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	follow(t, m)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				ctx, end := context.WithCancel(t.Context())
				n := 0
				if err := daemon.Follow(ctx, m, func(e api.Event) {
					if n++; n == 1 && e.Kind != api.Synced {
						t.Errorf("first came %+v", e)
					}
					end()
				}); err != nil {
					t.Error(err)
				}
				end()
			}
		})
	}
	all.Wait()
	r := daemon.FollowersOf(m).Reader
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if len(r.Listeners) != 1 || daemon.FollowersOf(m).Count != 1 {
		t.Errorf("%d listen, and one should", len(r.Listeners))
	}
}

// TestFollowNothing checks that Follow fails outside a repository.
func TestFollowNothing(t *testing.T) {
	err := daemon.Follow(t.Context(), apptest.NewFolder(t).Memory(), func(e api.Event) { t.Errorf("%+v", e) })
	apptest.WantKind(t, err, app.KindNoPlace)
}
