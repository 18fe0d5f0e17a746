package executor

import (
	"io"
	"sync"

	"agentflow/executor/agent"
)

// agentOutput takes the agent's standard output, from one goroutine. That one
// may still be at work, behind a reader that does not read, when the run goes
// on without it; so what is decoded is guarded.
type agentOutput struct {
	sup    *supervisor
	scribe *scribe
	raw    io.Writer // gets the bytes as they come; nil for none, or when it failed

	mu      sync.Mutex
	decoder agent.Decoder // nil when closed
	said    string        // what the agent said last
}

// Write never fails: an agent is not ended because nobody reads.
func (o *agentOutput) Write(p []byte) (int, error) {
	if o.raw != nil {
		if _, err := o.raw.Write(p); err != nil {
			o.raw = nil
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.decoder != nil {
		o.pass(o.decoder.Feed(p))
	}
	return len(p), nil
}

// close takes what was still open, and returns what the agent said last.
func (o *agentOutput) close() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pass(o.decoder.Close())
	o.decoder = nil
	return o.said
}

func (o *agentOutput) pass(events []agent.Event) {
	o.sup.heard(events)
	for _, ev := range events {
		if ev.Text != "" && (ev.Kind == agent.Said || ev.Kind == agent.Result && !ev.Failed) {
			o.said = ev.Text
		}
		o.scribe.take(ev)
	}
}

// agentErrors takes the agent's standard error, from one goroutine.
type agentErrors struct {
	sup  *supervisor
	tail *tail
	to   io.Writer
}

func (o *agentErrors) Write(p []byte) (int, error) {
	o.sup.heard(nil)
	o.tail.write(p)
	if o.to != nil {
		if _, err := o.to.Write(p); err != nil {
			o.to = nil
		}
	}
	return len(p), nil
}
