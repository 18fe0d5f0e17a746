package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/memory"
)

// eventStream is the event stream of a running serve.
type eventStream struct {
	t      *testing.T
	events chan api.Event
}

// listen reads the events of a running serve, and waits for the first one.
func (s *served) listen(t *testing.T) *eventStream {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	t.Cleanup(func() { res.Body.Close() })
	stream := &eventStream{t, make(chan api.Event, 1000)}
	go func() {
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			var e api.Event
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &e) == nil && e.Kind != "" {
				stream.events <- e
			}
		}
	}()
	stream.await(api.Synced)
	return stream
}

// await returns the next event of a kind. Other kinds that may come before it are named;
// events of the index are always allowed.
func (s *eventStream) await(kind api.EventKind, others ...api.EventKind) api.Event {
	s.t.Helper()
	for {
		select {
		case e := <-s.events:
			switch {
			case e.Kind == kind:
				return e
			case e.Kind != api.Synced && !slices.Contains(others, e.Kind):
				s.t.Fatalf("%+v came, not %s", e, kind)
			}
		case <-time.After(30 * time.Second):
			s.t.Fatalf("no %s came", kind)
		}
	}
}

// TestServeTellsOfOtherProcesses: a listener of serve gets events for facts that
// other processes store, change and forget, and for their runs, including a killed
// one. Without a stored fact there is no event.
func TestServeTellsOfOtherProcesses(t *testing.T) {
	l := newLab(t, "say \"<save_memory>Lions roar.</save_memory>\"\n")
	l.Agentflow("init")
	s := l.serving()
	defer s.kill()
	heard := s.listen(t)
	l.Agentflow("remember", "Okapis are shy.")
	fact := heard.await(api.MemoryStored)
	if fact.Fact == nil || fact.Fact.Text != "Okapis are shy." {
		t.Errorf("%+v", fact)
	}
	l.Agentflow("remember", "Okapis are shy.")
	l.Agentflow("pin", fact.ID)
	if e := heard.await(api.MemoryChanged); e.ID != fact.ID {
		t.Errorf("%+v", e)
	}
	l.Agentflow("forget", "--yes", fact.ID)
	if e := heard.await(api.MemoryForgotten); e.ID != fact.ID {
		t.Errorf("%+v", e)
	}

	l.Agentflow("run", "-q", "Ask the lions")
	run := heard.await(api.RunStarted)
	if e := heard.await(api.MemoryStored, api.RunProgress); e.Fact.Text != "Lions roar." || e.Fact.Source != run.ID {
		t.Errorf("%+v", e.Fact)
	}
	if e := heard.await(api.RunEnded, api.RunProgress); e.ID != run.ID || e.Run.Outcome != memory.OutcomeOK || !e.Run.Recorded {
		t.Errorf("%+v", e.Run)
	}

	l.Script("sh touch ../begun\nsilent\n")
	going := l.Start("run", "-q", "Wait for the lions")
	defer func() { _ = going.Process.Kill() }()
	run = heard.await(api.RunStarted)
	l.AwaitFile("../begun")
	if err := going.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = going.Wait()
	if e := heard.await(api.RunEnded, api.RunProgress); e.ID != run.ID || e.Run.Outcome != memory.OutcomeInterrupted || !e.Run.Recorded {
		t.Errorf("%+v", e.Run)
	}
}
