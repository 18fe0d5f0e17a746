package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"agentflow/api"
	"agentflow/app"
)

// Event is something that happened to memory, as a stream tells it.
type Event struct {
	api.Event
	Repository string `json:"repository"`
}

// Bounds of streams.
const (
	maxStreams = 64               // open at once, of all pages and programs
	maxOfOne   = 16               // of them, with one token of a team
	beat       = 15 * time.Second // between two signs of life
	lookAgain  = time.Second      // between two looks whether a reader's token was revoked
	eventWait  = 10 * time.Second // for a reader to take an event
)

// eventsRoute is the stream of events: Server-Sent Events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Each has
// the event's kind as its name and an Event as its data. A stream begins with
// the event state, whose data is a Status; one that goes on behind a
// Last-Event-ID begins with what was missed, as long as that is known.
func eventsRoute() route {
	return route{method: get, path: base + "/events", summary: "What happens to memory, as Server-Sent Events",
		in: reflect.TypeFor[empty](), out: reflect.TypeFor[Event](), stream: true, serve: serveEvents}
}

func serveEvents(s *Server, w http.ResponseWriter, r *http.Request) {
	_, c, err := read[empty](s, r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	feed, missed, err := s.streams.open(s.shared(c.Name), r.Header.Get("Last-Event-ID"), tokenIn(r.Context()))
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer feed.close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.streams.ctx, cancel)()
	w.Header().Set("Content-Type", "text/event-stream")
	out := writer{w, http.NewResponseController(w)}
	if missed == nil {
		state, err := status(app.Quiet(ctx), c, empty{})
		if err != nil {
			state = Status{Repository: c.Name, Version: s.options.Version}
		}
		missed = []message{{name: "state", id: feed.at, data: state}}
	}
	out.follow(ctx, feed, missed, s.streams.beat, func() bool { return s.access.stillMay(r) })
}

// writer writes to one reader.
type writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// follow tells what was missed and what comes, until ctx ends, or the reader
// does, or is too slow, or may not read any more.
func (out writer) follow(ctx context.Context, feed *feed, missed []message, every time.Duration, may func() bool) {
	for _, m := range missed {
		if out.send(m.text()) != nil {
			return
		}
	}
	alive := time.NewTicker(every)
	defer alive.Stop()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if !may() {
				return
			}
		case <-alive.C:
			err = out.send([]byte(": alive\n\n"))
		case m, open := <-feed.messages:
			if !open {
				return // it was too slow
			}
			err = out.send(m.text())
		}
		if err != nil {
			return
		}
	}
}

func (out writer) send(text []byte) error {
	_ = out.control.SetWriteDeadline(time.Now().Add(eventWait)) // not every writer has one
	if _, err := out.w.Write(text); err != nil {
		return err
	}
	return out.control.Flush()
}

// message is one event of a stream.
type message struct {
	name string
	id   string
	data any
}

// text is the message as it is sent. JSON has no newline of its own, so what
// memory holds cannot end the message.
func (m message) text() []byte {
	data, err := json.Marshal(m.data)
	if err != nil {
		data = []byte("{}")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\nid: %s\ndata: %s\n\n", m.name, m.id, data)
	return b.Bytes()
}
