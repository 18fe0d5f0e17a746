package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/fsnotify/fsnotify"
)

// events turns the events of a notifier into wakes, and keeps its folders
// those that are there.
type events struct {
	n       *notifier
	in      inbox
	folders *folders
	wake    func()
	notice  func(string)
	told    map[string]bool
}

// events opens a notifier and adds all folders to it.
func (s *sensor) events() (*events, error) {
	n, err := s.open()
	if err != nil {
		return nil, err
	}
	e := &events{n: n, in: inbox{ready: make(chan struct{}, 1)}, wake: s.wake, notice: s.o.Notice, told: map[string]bool{}}
	e.folders = &folders{n: n, roots: s.o.Roots, ignore: s.o.Ignore, trouble: e.trouble}
	go e.in.fill(n)
	if err := e.folders.renew(); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return e, nil
}

// trouble tells a thing once.
func (e *events) trouble(what string) {
	if !e.told[what] && len(e.told) < mostComplaints {
		e.told[what] = true
		e.notice(what)
	}
}

// errEvents is a notifier that ends by itself.
var errEvents = errors.New("they ended")

// run ends with ctx, or with an error when events cannot be had any more.
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

// lost looks at all folders again: events may be missing. That there were
// more than the system holds is no trouble, since nothing is missed by it.
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
