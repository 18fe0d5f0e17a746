package executor

import (
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/gctuning"
)

// maxBacklog limits the text in a backlog, in bytes. It exceeds maxSaid, the text of messages
// that is kept of a run, so an agent does not wait for that text to be redacted.
const maxBacklog = maxSaid + 8<<20

// crowded limits the text of a backlog, in bytes, before the program saves memory.
const crowded = 1 << 20

// eventRoom adds bytes for each event to the text of a backlog.
const eventRoom = 256

// backlog accepts events at once and processes them in order, in a separate goroutine. It
// exists only in memory: text that is not redacted yet must not outlive the process. It is safe
// for concurrent use.
type backlog struct {
	take func(agent.Event)
	done chan struct{} // closed when all events are processed after close

	mu     sync.Mutex
	moved  *sync.Cond // an event came or went
	events []agent.Event
	bytes  int
	busy   bool   // take is at work
	spares func() // ends the early garbage collection, which began when the backlog got crowded; nil: it did not
	closed bool
}

func newBacklog(take func(agent.Event)) *backlog {
	b := &backlog{take: take, done: make(chan struct{})}
	b.moved = sync.NewCond(&b.mu)
	go b.work()
	return b
}

// put adds an event. It waits while the backlog is full.
func (b *backlog) put(ev agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > maxBacklog && !b.closed {
		b.moved.Wait()
	}
	b.events, b.bytes = append(b.events, ev), b.bytes+len(ev.Text)+eventRoom
	if b.bytes > crowded && b.spares == nil {
		b.spares = gctuning.Spare()
	}
	b.moved.Broadcast()
}

func (b *backlog) work() {
	defer close(b.done)
	for {
		ev, ok := b.next()
		if !ok {
			return
		}
		b.take(ev)
	}
}

// next waits for an event. It returns ok false if there will be no more.
func (b *backlog) next() (ev agent.Event, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = false
	for len(b.events) == 0 && !b.closed {
		b.moved.Wait()
	}
	if len(b.events) == 0 {
		return ev, false
	}
	ev, b.events[0] = b.events[0], agent.Event{}
	b.events, b.bytes, b.busy = b.events[1:], b.bytes-len(ev.Text)-eventRoom, true
	b.moved.Broadcast()
	return ev, true
}

// waits reports whether there are events that take has not processed or begun.
func (b *backlog) waits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) > 0
}

// idle reports whether every event so far is processed.
func (b *backlog) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) == 0 && !b.busy
}

// patience must pass before close first reports that it is still waiting.
const patience = time.Second

// close waits until all events are processed. After patience it calls long with the number of
// bytes that are left. When hurry is closed, it drops the rest and returns its size in bytes.
func (b *backlog) close(hurry <-chan struct{}, long func(left int)) (dropped int) {
	b.mu.Lock()
	b.closed = true
	b.moved.Broadcast()
	b.mu.Unlock()
	defer func() {
		if b.spares != nil {
			b.spares()
		}
	}()
	silence := time.NewTimer(patience)
	defer silence.Stop()
	for {
		select {
		case <-b.done:
			return dropped
		case <-hurry:
			hurry, dropped = nil, b.drop()
		case <-silence.C:
			b.mu.Lock()
			left := b.bytes
			b.mu.Unlock()
			long(left)
		}
	}
}

func (b *backlog) drop() (bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bytes, b.events, b.bytes = b.bytes, nil, 0
	return bytes
}

// maxSaid limits the text of messages that is redacted and kept of one run, in bytes. Of the
// rest only the end is kept.
const maxSaid = 16 << 20
