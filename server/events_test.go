package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/internal/testing/labtest"
)

// told returns a house, and a function that sends it an event of its memory.
func told(t *testing.T) (*listening, func(api.Event)) {
	t.Helper()
	events := make(chan api.Event)
	l := newListening(t, func(o *Options) {
		o.follow = func(ctx context.Context, _ *app.Memory, hear func(api.Event)) error {
			for {
				select {
				case e := <-events:
					hear(e)
				case <-ctx.Done():
					return nil
				}
			}
		}
	})
	return l, func(e api.Event) {
		select {
		case events <- e:
		case <-time.After(10 * time.Second):
			t.Error("nobody follows the memory")
		}
	}
}

// stream is an open stream of events, with the part read so far.
type stream struct {
	t      *testing.T
	body   io.ReadCloser
	reader *bufio.Reader
}

func (l *listening) events(last string) *stream {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), "GET", l.url+base+"/events", nil)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-store" {
		text, _ := io.ReadAll(res.Body)
		l.t.Fatalf("%d %v %s", res.StatusCode, res.Header, text)
	}
	return &stream{l.t, res.Body, bufio.NewReader(res.Body)}
}

// next returns the next message, without signs of life.
func (s *stream) next() (name, id, data string) {
	s.t.Helper()
	for {
		line, err := s.reader.ReadString('\n')
		if err != nil {
			s.t.Fatalf("reading events: %v", err)
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "event":
			name = value
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if data != "" {
				return name, id, data
			}
		}
	}
}

func stored(text string) api.Event {
	return api.Event{Kind: api.MemoryStored, Time: time.Now(), Fact: &api.Fact{ID: "1", Text: text, Tags: []string{}}}
}

func TestEvents(t *testing.T) {
	l, tell := told(t)
	d := l.described()
	s := l.events("")
	if name, _, data := s.next(); name != "state" || !strings.Contains(data, `"repository":"repo"`) {
		t.Errorf("%s %s", name, data)
	}
	hostile := "It holds.\n\nevent: runEnded\ndata: {}\n\n\x1b[2J\u2028<script>"
	tell(stored(hostile))
	name, first, data := s.next()
	var e Event
	if err := json.Unmarshal([]byte(data), &e); err != nil || name != "memoryStored" || e.Fact.Text != hostile || e.Repository != "repo" {
		t.Errorf("%s %s, %v", name, data, err)
	}
	of := d.Paths[base+"/events"]["get"].Responses["200"].Content["text/event-stream"].Schema
	if err := d.accepts(of, []byte(data)); err != nil {
		t.Errorf("not as described: %v", err)
	}
	tell(api.Event{Kind: api.RunStarted, Time: time.Now(), Run: &api.RunState{Turns: 2}})
	tell(api.Event{Kind: api.Synced, Time: time.Now()})
	again := l.events(first)
	for _, want := range []string{"runStarted", "synced"} {
		if name, _, data := again.next(); name != want {
			t.Errorf("%s %s, want %s", name, data, want)
		}
	}
	tell(stored("More."))
	if name, last, _ := again.next(); name != "memoryStored" {
		t.Errorf("%s", name)
	} else if s := l.events(last); s != nil { // nothing was missed
		tell(stored("Even more."))
		if _, _, data := s.next(); !strings.Contains(data, "Even more.") {
			t.Errorf("%s", data)
		}
	}
	for _, unknown := range []string{"other-1", "x", first + "0", strings.Repeat("a", 2000)} {
		if name, _, _ := l.events(unknown).next(); name != "state" {
			t.Errorf("behind %.20s comes %s", unknown, name)
		}
	}
}

func TestStreamsAreAliveAndEnd(t *testing.T) {
	l, _ := told(t)
	l.server.streams.beat = 5 * time.Millisecond
	s := l.events("")
	s.next()
	for range 3 {
		if line, err := s.reader.ReadString('\n'); err != nil || line != ": alive\n" && line != "\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	began := time.Now()
	if err := l.end(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
	if _, err := io.Copy(io.Discard, s.reader); err == nil {
		t.Log("the stream ended well")
	}
}

// TestStreamsAreBounded checks that readers beyond the limit get an error, and
// that a reader that leaves frees its place.
func TestStreamsAreBounded(t *testing.T) {
	l, tell := told(t)
	var open []*stream
	for range maxStreams {
		open = append(open, l.events(""))
	}
	if code, text := l.ask("GET", base+"/events", ""); code != 503 || !strings.Contains(text, "unavailable") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := l.ask("GET", base+"/repositories", ""); code != 200 {
		t.Errorf("beside them: %d", code)
	}
	for _, s := range open[1:] {
		s.body.Close()
	}
	labtest.Await(t, "the places to be free", func() bool { return l.server.streams.openNow() == 1 })
	tell(stored("For the one that stays."))
	open[0].next()
	if _, _, data := open[0].next(); !strings.Contains(data, "stays") {
		t.Error(data)
	}
}

func (s *streams) openNow() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// TestSlowReadersAreDropped checks that a reader that does not read delays no
// other, and takes no more memory than its limit.
func TestSlowReadersAreDropped(t *testing.T) {
	l, tell := told(t)
	conn, err := net.Dial("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET "+base+"/events HTTP/1.1\r\nHost: "+l.addr+"\r\nAuthorization: Bearer "+testToken+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	good := l.events("")
	good.next()
	labtest.Await(t, "both to read", func() bool { return l.server.streams.openNow() == 2 })
	text := strings.Repeat("x", 60<<10)
	deadline := time.Now().Add(30 * time.Second)
	for l.server.streams.openNow() == 2 && time.Now().Before(deadline) {
		tell(stored(text))
		if _, _, data := good.next(); !strings.Contains(data, text) {
			t.Fatal("another event")
		}
	}
	if n := l.server.streams.openNow(); n != 1 {
		t.Errorf("%d readers are left", n)
	}
	for _, h := range l.server.streams.hubs {
		if len(h.kept) > maxKept {
			t.Errorf("%d events are kept", len(h.kept))
		}
	}
}
