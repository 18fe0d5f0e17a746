package executor

import (
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/garbage"
)

// maxBacklog bounds the text of a backlog, in bytes. It is more than the text
// of messages that is kept of a run, so no agent waits until that is redacted.
const maxBacklog = maxSaid + 8<<20

// crowded is from how much text on a backlog spares memory, in bytes.
const crowded = 1 << 20

// eventRoom is what an event counts in a backlog beside its text, in bytes.
const eventRoom = 256

// backlog takes events at once and works them off in order, in a goroutine of its
// own. It is in memory alone: text that is not redacted yet does not outlive the
// process. It is safe for concurrent use.
type backlog struct {
	take func(agent.Event)
	done chan struct{} // closed when all is worked off after close

	mu     sync.Mutex
	moved  *sync.Cond // an event came or went
	events []agent.Event
	bytes  int
	busy   bool   // take is at work
	spares func() // ends that garbage is kept low, as it was crowded; nil: it was not
	closed bool
}

func newBacklog(take func(agent.Event)) *backlog {
	b := &backlog{take: take, done: make(chan struct{})}
	b.moved = sync.NewCond(&b.mu)
	go b.work()
	return b
}

// put adds an event. It waits while there is no room.
func (b *backlog) put(ev agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > maxBacklog && !b.closed {
		b.moved.Wait()
	}
	b.events, b.bytes = append(b.events, ev), b.bytes+len(ev.Text)+eventRoom
	if b.bytes > crowded && b.spares == nil {
		b.spares = garbage.Spare()
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

// next waits for an event; ok is false when there will be none.
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

// waits says that there are events that nobody has taken yet.
func (b *backlog) waits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) > 0
}

// idle says that every event so far is worked off.
func (b *backlog) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) == 0 && !b.busy
}

// patience is how long the end of a backlog is waited for in silence.
const patience = time.Second

// close waits until all is worked off; long is called when that takes long, with
// the bytes that are left. When hurry is closed the rest is dropped: it returns how
// many bytes of it.
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
