package watch

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// notifier is what is used of an fsnotify.Watcher, so that tests can put
// their own in its place.
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

// mostWaiting is how many events wait to be looked at; with more, all folders
// are looked at instead.
const mostWaiting = 4096

// inbox takes what a notifier sends as soon as it is sent. Whoever adds a
// folder must not be the one who takes the events: a notifier that waits for
// an event to be taken does not answer.
type inbox struct {
	ready chan struct{} // holds a token when there is something to take

	mu     sync.Mutex
	events []fsnotify.Event
	errs   []error
	over   bool // the notifier sends no more
}

// fill takes all that n sends, until it is closed.
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

// take returns what came in since the last take.
func (b *inbox) take() (events []fsnotify.Event, errs []error, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events, errs = b.events, b.errs
	b.events, b.errs = nil, nil
	return events, errs, b.over
}
