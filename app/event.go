package app

import (
	"context"
	"fmt"

	"agentflow/index"
)

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events.
const (
	EventNotice   EventKind = "notice"   // information for the user
	EventWarning  EventKind = "warning"  // a part failed, and the operation continues
	EventHint     EventKind = "hint"     // how to solve the problem reported before
	EventProgress EventKind = "progress" // progress of long work
	EventBell     EventKind = "bell"     // some work ended, and the user wants a signal; no text

	EventRunBegins EventKind = "runBegins" // from now on an interrupt stops the agents, and their runs are recorded
	EventRun       EventKind = "run"       // state or result of a run
)

// Event reports progress of an operation while it works.
type Event struct {
	Kind     EventKind
	Text     string    // one line, without a full stop; control characters are not cleaned
	Progress *Progress // for EventProgress
	Run      *RunEvent // for EventRun
	Empty    bool      // an EventNotice that there is no memory, so that an empty answer needs no other
}

// RunEvent reports the current state of a run or, in its last event, the result.
type RunEvent struct {
	Task    int     // index of the task in run.RunTasks, from 0
	Title   string  // title of the task; only in the first event of each task of run.RunTasks
	Doing   string  // "claude: Edit auth/session.go"; empty before the agent begins
	Turns   int     // so far; 0 if the agent does not report it
	CostUSD float64 // so far; 0 if the agent does not report it
	Line    string  // a step that just began, if it deserves a line
	Given   string  // the memory in front of the task, in words; in one event, before the agent begins
	Said    string  // text of the agent before its next step, in lines and unchanged, except that memory tags are removed; never its answer

	Result *RunResult // the result; nil while the run is active
	Err    error      // reason why the task was not run, for run.RunTasks
}

// Progress reports how much of long work is done. The first event of the work has neither Done nor
// Text. Total is 0 if it is unknown.
type Progress struct {
	What        string // the work: indexing, embedding, …
	Done, Total int64
	Unit        string // of Done and Total: bytes, chunks, commits, …
	Text        string // the same in words: "12/40 files"
	Over        bool   // the work has ended
}

type listenerKey struct{}

// Listen returns a context with a function that receives the events of the operations to which the
// context is passed. The function may be called from several goroutines at once, and must return
// quickly, because the operation waits for it.
func Listen(ctx context.Context, hear func(Event)) context.Context {
	return context.WithValue(ctx, listenerKey{}, hear)
}

// listener returns the function that receives the events of ctx. It is never nil.
func listener(ctx context.Context) func(Event) {
	if hear, ok := ctx.Value(listenerKey{}).(func(Event)); ok && hear != nil {
		return hear
	}
	return func(Event) {}
}

type quietKey struct{}

// Quiet returns a context for operations without a reader of notices. Notices that are given once
// are kept for the next operation without Quiet.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quietKey{}, true) }

// Say sends a notice to the listener, unless the operation is silent.
func (o *Operation) Say(format string, args ...any) {
	o.notify(Event{Kind: EventNotice, Text: fmt.Sprintf(format, args...)})
}

// notify sends a notice to the listener, unless the operation is silent.
func (o *Operation) notify(e Event) {
	if !o.quiet {
		o.Tell(e)
	}
}

// Warn reports a part that failed while the operation continues.
func (o *Operation) Warn(format string, args ...any) {
	o.Tell(Event{Kind: EventWarning, Text: fmt.Sprintf(format, args...)})
}

// Hint sends a hint to the listener.
func (o *Operation) Hint(format string, args ...any) {
	o.Tell(Event{Kind: EventHint, Text: fmt.Sprintf(format, args...)})
}

// Bar reports the progress of long work to the listener.
type Bar struct {
	tell func(Event)
	what string
}

// NewBar begins to report the progress of long work to the listener.
func NewBar(o *Operation, what string) *Bar {
	b := &Bar{o.Tell, what}
	b.show(Progress{})
	return b
}

// Files implements index.Options.Progress.
func (b *Bar) Files(p index.Progress) {
	b.show(Progress{Done: p.Bytes, Total: p.AllBytes, Unit: "bytes", Text: fmt.Sprintf("%d/%d files", p.Files, p.AllFiles)})
}

func (b *Bar) Chunks(done, total int) { b.Count("chunks", done, total) }

// Commits reports how many commits are done.
func (b *Bar) Commits(done, total int) { b.Count("commits", done, total) }

// Count reports how many units are done.
func (b *Bar) Count(unit string, done, total int) {
	b.show(Progress{Done: int64(done), Total: int64(total), Unit: unit, Text: fmt.Sprintf("%d/%d %s", done, total, unit)})
}

func (b *Bar) show(p Progress) {
	p.What = b.what
	b.tell(Event{Kind: EventProgress, Progress: &p})
}

// End reports that the work is over.
func (b *Bar) End() { b.show(Progress{Over: true}) }
