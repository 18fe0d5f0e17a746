package app

import (
	"context"
	"sync"
)

// writeTurns lets many callers use something in turns. All that wait when a turn begins share
// it, and its cost.
type writeTurns struct {
	// run does one turn. It closes begun of each writer that may write, waits for left, and
	// returns the result of the turn.
	run func(ctx context.Context, waiting []*waiter) error
	ctx context.Context // of all turns

	mu      sync.Mutex
	waiting []*waiter
	busy    bool
}

// waiter waits for a turn.
type waiter struct {
	writes bool
	begun  chan struct{} // closed when it may write
	left   chan struct{} // closed when it has written
	over   chan struct{} // closed when the turn is over
	err    error         // of the turn, once over is closed

	leaveOnce sync.Once
}

func newWaiter(writes bool) *waiter {
	return &waiter{writes: writes, begun: make(chan struct{}), left: make(chan struct{}), over: make(chan struct{})}
}

// leave ends the waiter's writing, or its wish to write.
func (w *waiter) leave() { w.leaveOnce.Do(func() { close(w.left) }) }

// wait waits for begun or over. It is an error if the turn ended with one, or ctx ends.
func (w *waiter) wait(ctx context.Context, until chan struct{}) error {
	select {
	case <-until:
	case <-w.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-w.over:
		return w.err
	default:
		return nil
	}
}

// writersOf returns the waiters that write.
func writersOf(waiting []*waiter) (writers []*waiter) {
	for _, w := range waiting {
		if w.writes {
			writers = append(writers, w)
		}
	}
	return writers
}

// add gives a waiter the next turn.
func (t *writeTurns) add(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, w)
	if !t.busy {
		t.busy = true
		go t.work()
	}
}

// await returns when the earlier turns are over. The turns' ctx has ended, so later waiters
// get its error.
func (t *writeTurns) await() {
	w := newWaiter(false)
	t.add(w)
	<-w.over
}

// work runs one turn after the other, until none is waiting.
func (t *writeTurns) work() {
	for {
		t.mu.Lock()
		now := t.waiting
		t.waiting = nil
		t.busy = len(now) > 0
		t.mu.Unlock()
		if len(now) == 0 {
			return
		}
		err := context.Cause(t.ctx)
		if err == nil {
			err = t.run(t.ctx, now)
		}
		for _, w := range now {
			w.err = err
			close(w.over)
		}
	}
}
