package watch

import (
	"testing"
	"time"
)

func TestDebounce(t *testing.T) {
	start := time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	events := func(d *debounce, times ...int) {
		for _, ms := range times {
			d.event(at(ms))
		}
	}
	for _, c := range []struct {
		name string
		do   func(*debounce)
		want int // ms; -1: nothing is due
	}{
		{"nothing", func(*debounce) {}, -1},
		{"at once", func(d *debounce) { d.now(at(0)) }, 0},
		{"one event", func(d *debounce) { events(d, 0) }, 300},
		{"each event puts it off", func(d *debounce) { events(d, 0, 100, 250) }, 550},
		{"but not for ever", func(d *debounce) { events(d, 0, 250, 500, 750, 1000, 1250, 1500, 1750, 1900) }, 2000},
		{"an event does not put off what is due at once", func(d *debounce) { d.now(at(0)); events(d, 0) }, 0},
		{"a call takes all", func(d *debounce) { d.now(at(0)); events(d, 0, 10); d.fired() }, -1},
		{"the longest wait counts anew after a call", func(d *debounce) { events(d, 0, 1900); d.fired(); events(d, 1950) }, 2250},
		{"an error is tried again", func(d *debounce) { d.failed(at(0)) }, 1000},
		{"an event is not put off by an error", func(d *debounce) { d.failed(at(0)); events(d, 10) }, 310},
		{"an error is not put off by events", func(d *debounce) { d.failed(at(0)); events(d, 800, 990) }, 1000},
		{"less and less often", func(d *debounce) { d.failed(at(0)); d.failed(at(0)); d.failed(at(0)) }, 4000},
		{"once a minute at least", func(d *debounce) {
			for range 20 {
				d.failed(at(0))
			}
		}, 60_000},
		{"from the start after a success", func(d *debounce) { d.failed(at(0)); d.failed(at(0)); d.fired(); d.worked(); d.failed(at(0)) }, 1000},
	} {
		d := debounce{quiet: 300 * time.Millisecond, most: 2 * time.Second}
		c.do(&d)
		due, ok := d.due()
		if ok != (c.want >= 0) || (ok && !due.Equal(at(c.want))) {
			t.Errorf("%s: due %v (%v), want %d ms", c.name, due.Sub(start), ok, c.want)
		}
	}
}
