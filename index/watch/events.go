package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// events turns the events of a notifier into wakes, and keeps the set of
// watched folders up to date.
type events struct {
	n       *notifier
	in      inbox
	folders *folders
	wake    func()
	trouble func(what string) // reports each problem once
}

// events opens a notifier and adds all folders to it.
func (s *sensor) events() (*events, error) {
	n, err := s.open()
	if err != nil {
		return nil, err
	}
	reported := complaints{notice: s.o.Notice}
	e := &events{n: n, in: inbox{ready: make(chan struct{}, 1)}, wake: s.wake, trouble: reported.failed}
	e.folders = &folders{n: n, roots: s.o.Roots, ignore: s.o.Ignore, trouble: e.trouble}
	go e.in.fill(n)
	if err := e.folders.renew(); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return e, nil
}

// errEvents means that the notifier ended by itself.
var errEvents = errors.New("they ended")

// run returns when ctx ends, or with an error when no more events are
// available.
func (e *events) run(ctx context.Context) error {
	err := e.sense(ctx)
	if closed := e.n.close(); err == nil && closed != nil {
		e.trouble(fmt.Sprintf("ending the watch: %v", closed))
	}
	for _, _, over := e.in.take(); !over; _, _, over = e.in.take() {
		<-e.in.ready
	}
	return err
}

func (e *events) sense(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.in.ready:
		}
		list, errs, over := e.in.take()
		if over {
			return errEvents
		}
		if len(errs) > 0 {
			if err := e.lost(errs); err != nil {
				return err
			}
		}
		for _, ev := range list {
			woke, err := e.folders.saw(ev)
			if err != nil {
				return err
			}
			if woke {
				e.wake()
			}
		}
	}
}

// lost watches all folders again, because events may be missing. An overflow of
// the system's queue is not reported, because nothing is missed by it.
func (e *events) lost(errs []error) error {
	for _, err := range errs {
		if !errors.Is(err, fsnotify.ErrEventOverflow) {
			e.trouble(fmt.Sprintf("watching for changes: %v", err))
		}
	}
	err := e.folders.renew()
	e.wake()
	return err
}

// notifier is the part of an fsnotify.Watcher that is used here, so that tests
// can replace it.
type notifier struct {
	events      <-chan fsnotify.Event
	errors      <-chan error
	add, remove func(folder string) error
	close       func() error
}

func openEvents() (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &notifier{w.Events, w.Errors, w.Add, w.Remove, w.Close}, nil
}

// mostWaiting limits the queued events. If there are more, all
// folders are read instead.
const mostWaiting = 4096

// inbox takes the events of a notifier as soon as they are sent. The goroutine
// that adds folders must not also take the events: a notifier that waits for an
// event to be taken does not answer.
type inbox struct {
	ready chan struct{} // holds a token if there is something to take

	mu     sync.Mutex
	events []fsnotify.Event
	errs   []error
	over   bool // the notifier sends no more events
}

// fill takes everything that n sends, until n is closed.
func (b *inbox) fill(n *notifier) {
	for events, errs := n.events, n.errors; events != nil; {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			b.put(func() {
				if len(b.events) == mostWaiting {
					b.events, b.errs = nil, append(b.errs, fsnotify.ErrEventOverflow)
				}
				b.events = append(b.events, ev)
			})
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			b.put(func() { b.errs = append(b.errs, err) })
		}
	}
	b.put(func() { b.over = true })
}

func (b *inbox) put(change func()) {
	b.mu.Lock()
	change()
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take returns everything that arrived since the last take.
func (b *inbox) take() (events []fsnotify.Event, errs []error, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events, errs = b.events, b.errs
	b.events, b.errs = nil, nil
	return events, errs, b.over
}
