package watch

import "time"

// After an error the next try comes after firstRetry, then after twice as
// long each time, up to lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// debounce decides when the next call is due. It holds no clock: every
// method is told the time.
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
