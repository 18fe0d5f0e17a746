package watch

import (
	"context"
	"time"
)

// loop turns wakes into calls, one at a time.
type loop struct {
	wakes   <-chan struct{}
	changed func(context.Context) error
	due     debounce
	errors  complaints
}

// run returns when ctx ends, but not before a running call has returned.
func (l *loop) run(ctx context.Context) {
	l.due.now(time.Now())
	ended := make(chan error, 1)
	running := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			if running {
				<-ended
			}
			return
		case <-l.wakes:
			l.due.event(time.Now())
		case err := <-ended:
			running = false
			l.note(ctx, err)
		case <-timer.C:
		}
		at, ok := l.due.due()
		if !ok || running || ctx.Err() != nil {
			continue
		}
		if wait := time.Until(at); wait > 0 {
			timer.Reset(wait)
			continue
		}
		l.due.fired()
		running = true
		go func() { ended <- l.changed(ctx) }()
	}
}

// note handles the result of a call. A call that the end of ctx interrupted is
// not a failure.
func (l *loop) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		l.due.worked()
		l.errors.worked()
	case ctx.Err() == nil:
		l.due.failed(time.Now())
		l.errors.failed(err.Error())
	}
}

// After an error the next try follows after firstRetry, and then after twice as
// long each time, up to lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// debounce decides when the next call is due. It has no clock: every method
// gets the time.
type debounce struct {
	quiet, most time.Duration

	first, last time.Time // of the events since the last call; zero if none
	again       time.Time // a call that needs no event; zero if none
	pause       time.Duration
}

// now makes a call due immediately.
func (d *debounce) now(at time.Time) { d.again = at }

// event records an event.
func (d *debounce) event(at time.Time) {
	if d.first.IsZero() {
		d.first = at
	}
	d.last = at
}

// due returns when the next call is due, and false if none is.
func (d *debounce) due() (time.Time, bool) {
	if d.first.IsZero() {
		return d.again, !d.again.IsZero()
	}
	at := d.last.Add(d.quiet)
	if latest := d.first.Add(d.most); latest.Before(at) {
		at = latest
	}
	if !d.again.IsZero() && d.again.Before(at) {
		at = d.again
	}
	return at, true
}

// fired records the start of a call, which sees all changes so far.
func (d *debounce) fired() { d.first, d.last, d.again = time.Time{}, time.Time{}, time.Time{} }

// worked records the end of a call without an error.
func (d *debounce) worked() { d.pause = 0 }

// failed records the end of a call that has to be tried again.
func (d *debounce) failed(at time.Time) {
	d.pause = min(max(2*d.pause, firstRetry), lastRetry)
	d.again = at.Add(d.pause)
}

// mostComplaints limits how many errors are remembered, for errors that differ
// every time.
const mostComplaints = 20

// Recovered reports that calls work again.
const Recovered = "recovered"

// complaints reports each problem once until a call succeeds.
type complaints struct {
	notice   func(string)
	reported map[string]bool
}

func (c *complaints) failed(what string) {
	if c.reported[what] || len(c.reported) >= mostComplaints {
		return
	}
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	c.reported[what] = true
	c.notice(what)
}

func (c *complaints) worked() {
	if len(c.reported) > 0 {
		c.reported = nil
		c.notice(Recovered)
	}
}
