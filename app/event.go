package app

import (
	"context"
	"fmt"

	"agentflow/index"
)

// EventKind is what an Event tells of.
type EventKind string

// The kinds of events.
const (
	EventNotice   EventKind = "notice"   // something happened that whoever asked should hear of
	EventWarning  EventKind = "warning"  // something did not work though the operation goes on
	EventHint     EventKind = "hint"     // the way out of what was reported before
	EventProgress EventKind = "progress" // how far a long work is
	EventBell     EventKind = "bell"     // something ended that the user wants to be called for; has no text

	EventRunBegins EventKind = "runBegins" // from now on, an interrupt ends the agents, and their runs are recorded
	EventRun       EventKind = "run"       // what a run does, or what came of it
)

// Event tells what happens while an operation goes on.
type Event struct {
	Kind     EventKind
	Text     string    // one line, without a full stop; control characters are not cleaned
	Progress *Progress // of EventProgress
	Run      *RunEvent // of EventRun
}

// RunEvent tells of a run: what it does just now or, in the last event of a
// run, what came of it.
type RunEvent struct {
	Task    int     // which task of RunTasks, from 0 on
	Title   string  // of the task; only in the first event of each of RunTasks
	Doing   string  // "claude: Edit auth/session.go"; empty before the agent begins
	Turns   int     // so far; 0 where the agent does not tell
	CostUSD float64 // so far; 0 where the agent does not tell
	Line    string  // what began just now, where that is worth a line of its own
	Said    string  // what the agent said before it went on, in lines, as it said it but without the tags that remember; never its answer

	Result *RunResult // what came of it; nil while it goes on
	Err    error      // why nothing was run, of RunTasks
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

func (o *operation) say(format string, args ...any) {
	if !o.quiet {
		o.tell(Event{Kind: EventNotice, Text: fmt.Sprintf(format, args...)})
	}
}

// warn tells what did not work though the operation goes on.
func (o *operation) warn(format string, args ...any) {
	o.tell(Event{Kind: EventWarning, Text: fmt.Sprintf(format, args...)})
}

func (o *operation) hint(format string, args ...any) {
	o.tell(Event{Kind: EventHint, Text: fmt.Sprintf(format, args...)})
}

// bar tells the listener how far a long work is.
type bar struct {
	tell func(Event)
	what string
}

func (o *operation) newBar(what string) *bar {
	b := &bar{o.tell, what}
	b.show(Progress{})
	return b
}

// files is for index.Options.Progress.
func (b *bar) files(p index.Progress) {
	b.show(Progress{Done: p.Bytes, Total: p.AllBytes, Unit: "bytes", Text: fmt.Sprintf("%d/%d files", p.Files, p.AllFiles)})
}

func (b *bar) chunks(done, total int) { b.count("chunks", done, total) }

func (b *bar) commits(done, total int) { b.count("commits", done, total) }

func (b *bar) count(unit string, done, total int) {
	b.show(Progress{Done: int64(done), Total: int64(total), Unit: unit, Text: fmt.Sprintf("%d/%d %s", done, total, unit)})
}

func (b *bar) show(p Progress) {
	p.What = b.what
	b.tell(Event{Kind: EventProgress, Progress: &p})
}

func (b *bar) end() { b.show(Progress{Over: true}) }
