package app

import (
	"fmt"
	"sync"
	"time"

	"agentflow/internal/plural"
)

// MaxAgentWrites is how many facts an agent may store, change and delete in
// one session.
const MaxAgentWrites = 64

// MaxAgentWritesAnHour is how often all agents' sessions of one Memory may change
// it within an hour: an agent that begins one session after the other, as it can
// over HTTP, gets no further. Each server that an agent starts for itself has a
// Memory, and so a count, of its own.
const MaxAgentWritesAnHour = 4 * MaxAgentWrites

// agentWrites are the times of what agents changed in the last hour, the first
// one first. They are safe for concurrent use.
type agentWrites struct {
	mu    sync.Mutex
	times []time.Time
}

// take counts a change at now. It says after how long there is room for one when
// there is none; 0: it was counted.
func (w *agentWrites) take(now time.Time) (wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.times) > 0 && now.Sub(w.times[0]) >= time.Hour {
		w.times = w.times[1:]
	}
	if len(w.times) >= MaxAgentWritesAnHour {
		return time.Hour - now.Sub(w.times[0])
	}
	w.times = append(w.times, now)
	return 0
}

// giveBack takes back the count of a change that was not made. Of changes that
// are made at once any may be the one: their times hardly differ.
func (w *agentWrites) giveBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.times); n > 0 {
		w.times = w.times[:n-1]
	}
}

// write counts a change of memory that is about to be made.
func (a *AgentSession) write() error {
	if a.writes.Add(1) > MaxAgentWrites {
		a.writes.Add(-1)
		return &Error{Kind: KindRefused, Err: fmt.Errorf("this session has changed memory %s already", plural.Count(MaxAgentWrites, "time")),
			Hint: "tell the user what is still worth remembering"}
	}
	if wait := a.memory.agents.take(time.Now()); wait > 0 {
		a.writes.Add(-1)
		return &Error{Kind: KindRefused, Err: fmt.Errorf("agents have changed memory %s within an hour", plural.Count(MaxAgentWritesAnHour, "time")),
			Hint: fmt.Sprintf("there is room again in %s; tell the user what is still worth remembering", plural.Count(int(wait/time.Minute)+1, "minute"))}
	}
	return nil
}

// giveBack takes back the count of a change that was not made.
func (a *AgentSession) giveBack() {
	a.writes.Add(-1)
	a.memory.agents.giveBack()
}
