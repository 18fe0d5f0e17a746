package daemon_test

import (
	"context"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/daemon"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

// awaitEvent waits for an event with a text in it.
func awaitEvent(t *testing.T, sent chan app.Event, text string) {
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
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := daemon.Watch(t.Context(), m, daemon.WatchRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	_, err = daemon.Watch(t.Context(), m, daemon.WatchRequest{Poll: "soon"})
	apptest.WantKind(t, err, app.KindUsage)
	ctx, sent := apptest.Events(t.Context())
	ctx, end := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		_, err := daemon.Watch(ctx, m, daemon.WatchRequest{Debounce: "10ms"})
		over <- err
	}()
	awaitEvent(t, sent, "watching ")
	_, err = daemon.Watch(t.Context(), m, daemon.WatchRequest{})
	apptest.WantKind(t, err, app.KindRefused)
	if found, err := setup.Status(t.Context(), m, setup.StatusRequest{}); err != nil || found.Status.Watch == nil || found.Status.Watch.Command != "watch" {
		t.Errorf("%+v, %v", found.Status.Watch, err)
	}
	p.Write(".agentflow/memory/note.md", "A note about okapis.\n")
	awaitEvent(t, sent, "indexed 1 changed file")
	end()
	if err := <-over; err != nil {
		t.Errorf("ended: %v", err)
	}
	if found, err := setup.Status(t.Context(), m, setup.StatusRequest{}); err != nil || found.Status.Watch != nil {
		t.Errorf("%+v, %v", found.Status.Watch, err)
	}
}
