package app

import (
	"fmt"
	"sync"
	"time"

	"agentflow/internal/plural"
)

// MaxAgentWrites is how many changes an agent may make in one session: facts stored, changed or
// deleted.
const MaxAgentWrites = 64

// MaxAgentWritesAnHour is how many changes all agents' sessions of one Memory may make within an
// hour. It also limits an agent that starts one session after another, as it can over HTTP. A
// server that an agent starts has a separate Memory, and so a separate count.
const MaxAgentWritesAnHour = 4 * MaxAgentWrites

// agentWrites holds the times of the changes by agents in the last hour, oldest first. It is safe
// for concurrent use.
type agentWrites struct {
	mu    sync.Mutex
	times []time.Time
}

// take counts a change at now and returns 0. If there is no room for a change, it counts nothing
// and returns the time until there is.
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

// giveBack removes the count of a change that was not made. It removes the newest, which may be the
// count of another concurrent change: their times hardly differ.
func (w *agentWrites) giveBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.times); n > 0 {
		w.times = w.times[:n-1]
	}
}

// write counts a change of memory that is about to be made. It returns an error of KindRefused at a
// limit.
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

// giveBack removes the count of a change that was not made.
func (a *AgentSession) giveBack() {
	a.writes.Add(-1)
	a.memory.agents.giveBack()
}
