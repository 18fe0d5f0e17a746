package daemon

import (
	"context"
	"sync"
	"time"

	"agentflow/app/api"
)

// maxWaiting limits the events that wait for one listener.
const maxWaiting = 256

// eventQueue holds the events that a listener has not received yet. It is safe for concurrent use.
type eventQueue struct {
	ready chan struct{} // holds a token while an event waits

	mu     sync.Mutex
	Events []api.Event
	Missed int // events that were dropped because the queue was full
}

func newEventQueue() *eventQueue { return &eventQueue{ready: make(chan struct{}, 1)} }

// put adds an event, or counts it as missed if the queue is full.
func (q *eventQueue) put(e api.Event) {
	q.mu.Lock()
	if q.Missed > 0 || len(q.Events) >= maxWaiting {
		q.Missed++
	} else {
		q.Events = append(q.Events, e)
	}
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// next removes the oldest event. The Missed event comes last.
func (q *eventQueue) next() (e api.Event, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case len(q.Events) > 0:
		e, q.Events = q.Events[0], q.Events[1:]
	case q.Missed > 0:
		e, q.Missed = api.Event{Kind: api.Missed, Time: time.Now(), Count: q.Missed}, 0
	default:
		return e, false
	}
	return e, true
}

// deliver calls hear for each event until ctx ends.
func (q *eventQueue) deliver(ctx context.Context, hear func(api.Event)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.ready:
		}
		for e, ok := q.next(); ok && ctx.Err() == nil; e, ok = q.next() {
			hear(e)
		}
	}
}
