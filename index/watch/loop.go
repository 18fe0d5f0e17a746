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

// run ends with ctx, and not before a call that is going on.
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

// note takes up how a call ended. One that was cut short by the end of ctx
// is no failure.
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

// After an error the next try comes after firstRetry, then after twice as
// long each time, up to lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// debounce decides when the next call is due. It holds no clock: every
// method is given the time.
type debounce struct {
	quiet, most time.Duration

	first, last time.Time // of the events since the last call; zero: none
	again       time.Time // a call that needs no event; zero: none
	pause       time.Duration
}

// now makes a call due at once.
func (d *debounce) now(at time.Time) { d.again = at }

// event notes that something happened.
func (d *debounce) event(at time.Time) {
	if d.first.IsZero() {
		d.first = at
	}
	d.last = at
}

// due says when the next call is due, and false when none is.
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

// fired notes that a call begins: it sees all that has happened so far.
func (d *debounce) fired() { d.first, d.last, d.again = time.Time{}, time.Time{}, time.Time{} }

// worked notes the end of a call without an error.
func (d *debounce) worked() { d.pause = 0 }

// failed notes the end of a call that has to be tried again.
func (d *debounce) failed(at time.Time) {
	d.pause = min(max(2*d.pause, firstRetry), lastRetry)
	d.again = at.Add(d.pause)
}

// mostComplaints bounds what is remembered of errors whose words change
// every time.
const mostComplaints = 20

// Recovered is what Notice receives when calls work again.
const Recovered = "recovered"

// complaints reports each thing once until all is well again.
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
