package server

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"agentflow/app"
)

// Limits of a stream.
const (
	lookAgain = time.Second      // interval of checks whether a reader's token was revoked
	eventWait = 10 * time.Second // how long a reader may take to read an event
)

// eventsRoute returns the route of the stream of events: Server-Sent Events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). The name of
// each is the event's kind, and its data are an Event. A stream begins with the
// event state, with a Status as its data. A stream that continues after a
// Last-Event-ID begins with the missed events instead, if they are still known.
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

// follow sends the missed events and then the new ones, until ctx ends, or the
// reader disconnects, is too slow, or may not read any more.
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
				return // the reader was too slow
			}
			err = out.send(m.text())
		}
		if err != nil {
			return
		}
	}
}

func (out writer) send(text []byte) error {
	_ = out.control.SetWriteDeadline(time.Now().Add(eventWait)) // not every writer supports it
	if _, err := out.w.Write(text); err != nil {
		return err
	}
	return out.control.Flush()
}
