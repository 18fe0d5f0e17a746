package app

import "context"

// EventKind is what an Event tells of.
type EventKind string

// The kinds of events.
const (
	EventNotice   EventKind = "notice"   // something happened that whoever asked should hear of
	EventWarning  EventKind = "warning"  // something did not work though the operation goes on
	EventHint     EventKind = "hint"     // the way out of what was told before
	EventProgress EventKind = "progress" // how far a long work is
	EventBell     EventKind = "bell"     // something ended that the user wants to be called for; has no text
)

// Event tells what happens while an operation goes on.
type Event struct {
	Kind     EventKind
	Text     string    // one line, without a full stop; control characters are not cleaned
	Progress *Progress // of EventProgress
}

// Progress is how far a long work is. The first event of a work has neither
// Done nor Text. Total is 0 where nobody knows it.
type Progress struct {
	What        string // the work: indexing, embedding, …
	Done, Total int64
	Unit        string // of Done and Total: bytes, chunks, commits, …
	Text        string // the same in words: "12/40 files"
	Over        bool   // the work has ended
}

type listenerKey struct{}

// Listen is ctx with a function that hears the events of the operations that
// it is passed to, as they happen. The function may be called from several
// goroutines at once, and must not wait for long: the operation waits for it.
func Listen(ctx context.Context, hear func(Event)) context.Context {
	return context.WithValue(ctx, listenerKey{}, hear)
}

// listener is the function that hears the events of ctx; never nil.
func listener(ctx context.Context) func(Event) {
	if hear, ok := ctx.Value(listenerKey{}).(func(Event)); ok && hear != nil {
		return hear
	}
	return func(Event) {}
}

type quietKey struct{}

// Quiet is ctx for operations whose notices nobody reads. Notices that are
// given once are then left for the next operation that somebody listens to.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quietKey{}, true) }
