package app

import (
	"context"
	"strings"
	"testing"
)

// events returns a context that sends its events on a channel as they happen.
func events(ctx context.Context) (context.Context, chan Event) {
	sent := make(chan Event, 100)
	return Listen(ctx, func(e Event) { sent <- e }), sent
}

// awaitEvent waits for an event with a text in it.
func awaitEvent(t *testing.T, sent chan Event, text string) {
	t.Helper()
	for {
		select {
		case e := <-sent:
			if strings.Contains(e.Text, text) {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("no event with %q", text)
		}
	}
}

func TestWatch(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Watch(t.Context(), m, WatchRequest{})
	wantKind(t, err, KindNoPlace)
	if _, err := Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	_, err = Watch(t.Context(), m, WatchRequest{Poll: "soon"})
	wantKind(t, err, KindUsage)
	ctx, sent := events(t.Context())
	ctx, end := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		_, err := Watch(ctx, m, WatchRequest{Debounce: "10ms"})
		over <- err
	}()
	awaitEvent(t, sent, "watching ")
	_, err = Watch(t.Context(), m, WatchRequest{})
	wantKind(t, err, KindRefused)
	if found, err := Status(t.Context(), m, StatusRequest{}); err != nil || found.Status.Watch == nil || found.Status.Watch.Command != "watch" {
		t.Errorf("%+v, %v", found.Status.Watch, err)
	}
	p.Write(".agentflow/memory/note.md", "A note about okapis.\n")
	awaitEvent(t, sent, "indexed 1 changed file")
	end()
	if err := <-over; err != nil {
		t.Errorf("ended: %v", err)
	}
	if found, err := Status(t.Context(), m, StatusRequest{}); err != nil || found.Status.Watch != nil {
		t.Errorf("%+v, %v", found.Status.Watch, err)
	}
}
