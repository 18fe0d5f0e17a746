package app

import (
	"context"
	"time"
)

// After a failure the next try comes after firstTry, then after twice as long
// each time, up to lastTry.
const (
	firstTry = time.Second
	lastTry  = time.Minute
)

// completer gives chunks their vectors beside a watcher's updates, so that
// text is found at once however slow an embedder is.
type completer struct {
	work   func(context.Context) error // completes all chunks that wait
	failed func(error)                 // hears of the first of several failures
	worked func()                      // hears that failures are over
	wakes  chan struct{}
}

func newCompleter(work func(context.Context) error, failed func(error), worked func()) *completer {
	return &completer{work: work, failed: failed, worked: worked, wakes: make(chan struct{}, 1)}
}

// wake says that chunks may wait.
func (c *completer) wake() {
	select {
	case c.wakes <- struct{}{}:
	default: // it is to look anyway
	}
}

// run works until ctx ends.
func (c *completer) run(ctx context.Context) {
	var pause time.Duration
	for c.next(ctx, pause) {
		err := c.work(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && pause > 0:
			c.worked()
			pause = 0
		case err != nil && pause == 0:
			c.failed(err)
			pause = firstTry
		case err != nil:
			pause = min(2*pause, lastTry)
		}
	}
}

// next waits for a wake, or until pause is over: an embedder that fails is
// not asked more often while files change fast. It is false when ctx
// ended.
func (c *completer) next(ctx context.Context, pause time.Duration) bool {
	wakes, over := c.wakes, (<-chan time.Time)(nil)
	if pause > 0 {
		wakes, over = nil, time.After(pause)
	}
	select {
	case <-ctx.Done():
		return false
	case <-wakes:
	case <-over:
	}
	return ctx.Err() == nil
}
