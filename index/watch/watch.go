// Package watch calls a function when the Markdown below some folders
// changes. Whether contents really differ is for the function to find out, so
// an event too many costs a look and a lost event only waits for the next one.
//
// Limits: network file systems and some containers deliver no events; there
// Options.Poll looks at the files instead. Symbolic links below a root are
// not followed.
package watch

import (
	"context"
	"sync"
	"time"
)

// Options say what is watched and how soon a change counts. Times of 0 are
// the defaults.
type Options struct {
	// Roots are the folders, absolute and clean. One that is not there is
	// waited for; one that vanishes may come back.
	Roots []string
	// Ignore says of a folder below a root that nothing in it matters; nil
	// ignores none. It may be called on any goroutine, one call at a time.
	Ignore func(folder string) bool
	// Debounce is how long nothing must have happened before a call (300 ms),
	// MaxWait how long constant changes can put it off (2 s, and never less
	// than Debounce).
	Debounce, MaxWait time.Duration
	// Poll, when above 0, looks at the files this often instead of waiting
	// for events: at names, sizes and times of files and folders.
	Poll time.Duration
	// Notice receives what does not work, each thing once, and Recovered when
	// calls work again; may be nil. Calls do not overlap.
	Notice func(what string)
}

const (
	defaultDebounce = 300 * time.Millisecond
	defaultMaxWait  = 2 * time.Second
	// fallbackPoll is how often files are looked at where events were asked
	// for and cannot be had.
	fallbackPoll = 5 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Debounce <= 0 {
		o.Debounce = defaultDebounce
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	o.MaxWait = max(o.MaxWait, o.Debounce)
	if o.Ignore == nil {
		o.Ignore = func(string) bool { return false }
	}
	var mu sync.Mutex
	notice := o.Notice
	o.Notice = func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if notice != nil {
			notice(what)
		}
	}
	return o
}

// Run calls changed at once and then after every change, until ctx ends; it
// returns nil when a call that was going on has returned. Two calls never
// overlap, and what happens during one leads to another. An error of changed
// goes to Notice, and the call is tried again, later and later, up to once a
// minute. Files written by changed below a root and not ignored wake it
// again.
func Run(ctx context.Context, o Options, changed func(context.Context) error) error {
	return run(ctx, o, changed, openEvents)
}

func run(ctx context.Context, o Options, changed func(context.Context) error, open func() (*notifier, error)) error {
	o = o.withDefaults()
	wakes := make(chan struct{}, 1)
	s := &sensor{o: o, open: open, wake: func() {
		select {
		case wakes <- struct{}{}:
		default: // one that nobody has taken yet says as much
		}
	}}
	sense := s.prepare(ctx) // before the first call, so that nothing falls between
	sensing, stop := context.WithCancel(ctx)
	var sensors sync.WaitGroup
	sensors.Go(func() { sense(sensing) })
	l := loop{wakes: wakes, changed: changed, due: debounce{quiet: o.Debounce, most: o.MaxWait}, errors: complaints{notice: o.Notice}}
	l.run(ctx)
	stop()
	sensors.Wait()
	return nil
}
