// Package writeturns lets many writers share the turns of a slow resource, such as a team's remote.
package writeturns

import (
	"context"
	"sync"
)

// Queue lets many callers use something in turns. All that wait when a turn begins share
// it, and its cost.
type Queue struct {
	// Run does one turn. It closes Begun of each writer that may write, waits for Left, and
	// returns the result of the turn.
	Run func(ctx context.Context, waiting []*Waiter) error
	Ctx context.Context // of all turns

	mu      sync.Mutex
	waiting []*Waiter
	busy    bool
}

// Waiter waits for a turn.
type Waiter struct {
	writes bool
	Begun  chan struct{} // closed when it may write
	Left   chan struct{} // closed when it has written
	Over   chan struct{} // closed when the turn is over
	err    error         // of the turn, once Over is closed

	leaveOnce sync.Once
}

// NewWaiter returns a waiter for a turn. writes says whether it changes memory.
func NewWaiter(writes bool) *Waiter {
	return &Waiter{writes: writes, Begun: make(chan struct{}), Left: make(chan struct{}), Over: make(chan struct{})}
}

// Leave ends the waiter's writing, or its wish to write.
func (w *Waiter) Leave() { w.leaveOnce.Do(func() { close(w.Left) }) }

// Wait waits for Begun or Over. It is an error if the turn ended with one, or ctx ends.
func (w *Waiter) Wait(ctx context.Context, until chan struct{}) error {
	select {
	case <-until:
	case <-w.Over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-w.Over:
		return w.err
	default:
		return nil
	}
}

// Writers returns the waiters that write.
func Writers(waiting []*Waiter) (writers []*Waiter) {
	for _, w := range waiting {
		if w.writes {
			writers = append(writers, w)
		}
	}
	return writers
}

// Add gives a waiter the next turn.
func (t *Queue) Add(w *Waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, w)
	if !t.busy {
		t.busy = true
		go t.work()
	}
}

// Await returns when the earlier turns are over. The turns' ctx has ended, so later waiters
// get its error.
func (t *Queue) Await() {
	w := NewWaiter(false)
	t.Add(w)
	<-w.Over
}

// work runs one turn after the other, until none is waiting.
func (t *Queue) work() {
	for {
		t.mu.Lock()
		now := t.waiting
		t.waiting = nil
		t.busy = len(now) > 0
		t.mu.Unlock()
		if len(now) == 0 {
			return
		}
		err := context.Cause(t.Ctx)
		if err == nil {
			err = t.Run(t.Ctx, now)
		}
		for _, w := range now {
			w.err = err
			close(w.Over)
		}
	}
}
