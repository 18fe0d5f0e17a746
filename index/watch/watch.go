// Package watch calls a function when the Markdown below some folders changes.
// The function has to compare the contents itself, so an unnecessary event
// costs only a comparison. A lost event is made up for by the next one.
//
// Limits: network file systems and some containers deliver no events; for
// those, Options.Poll lists the files instead. Symbolic links below a root are
// not followed.
package watch

import (
	"context"
	"sync"
	"time"
)

// Options select the watched folders and how soon a change counts. Durations of
// 0 mean the defaults.
type Options struct {
	// Roots are the folders, absolute and clean. A missing root is waited for,
	// and one that disappears may come back.
	Roots []string
	// Ignore reports whether a folder below a root is left out; nil means that
	// none is. It may be called on any goroutine, one call at a time.
	Ignore func(folder string) bool
	// Debounce is how long there must be no change before a call (300 ms).
	// MaxWait is how long constant changes can delay it (2 s, and never less
	// than Debounce).
	Debounce, MaxWait time.Duration
	// Poll, if above 0, is the interval at which names, sizes and times of
	// files and folders are listed, instead of waiting for events.
	Poll time.Duration
	// Notice receives each problem once, and Recovered when calls work again;
	// may be nil. Calls do not overlap.
	Notice func(what string)
}

const (
	defaultDebounce = 300 * time.Millisecond
	defaultMaxWait  = 2 * time.Second
	// fallbackPoll is the interval of listings if no events are available.
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

// Run calls changed immediately and then after every change, until ctx ends. It
// returns nil after a running call has returned. Two calls never overlap, and a
// change during a call leads to another call. Run sends an error of changed to
// Notice and tries again, at growing intervals of up to a minute. Files that
// changed itself writes below a root, unless ignored, lead to another call.
func Run(ctx context.Context, o Options, changed func(context.Context) error) error {
	return run(ctx, o, changed, openEvents)
}

func run(ctx context.Context, o Options, changed func(context.Context) error, open func() (*notifier, error)) error {
	o = o.withDefaults()
	wakes := make(chan struct{}, 1)
	s := &sensor{o: o, open: open, wake: func() {
		select {
		case wakes <- struct{}{}:
		default: // a pending wake is enough
		}
	}}
	sense := s.prepare(ctx) // before the first call, so that no change is missed
	sensing, stop := context.WithCancel(ctx)
	var sensors sync.WaitGroup
	sensors.Go(func() { sense(sensing) })
	l := loop{wakes: wakes, changed: changed, due: debounce{quiet: o.Debounce, most: o.MaxWait}, errors: complaints{notice: o.Notice}}
	l.run(ctx)
	stop()
	sensors.Wait()
	return nil
}
