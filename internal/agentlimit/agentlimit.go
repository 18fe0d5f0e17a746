// Package agentlimit limits how many changes agents make to memory within an hour.
package agentlimit

import (
	"sync"
	"time"
)

// PerSession limits an agent's changes in one session: facts stored, changed or
// deleted.
const PerSession = 64

// PerHour limits the changes of all agents' sessions of one Memory within an
// hour. It also limits an agent that starts one session after another, as it can over HTTP. A
// server that an agent starts has a separate Memory, and so a separate count.
const PerHour = 4 * PerSession

// Writes holds the times of the changes by agents in the last hour, oldest first. It is safe
// for concurrent use.
type Writes struct {
	mu    sync.Mutex
	times []time.Time
}

// Take counts a change at now and returns 0. If there is no room for a change, it counts nothing
// and returns the time until there is.
func (w *Writes) Take(now time.Time) (wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.times) > 0 && now.Sub(w.times[0]) >= time.Hour {
		w.times = w.times[1:]
	}
	if len(w.times) >= PerHour {
		return time.Hour - now.Sub(w.times[0])
	}
	w.times = append(w.times, now)
	return 0
}

// GiveBack removes the count of a change that was not made. It removes the newest, which may be the
// count of another concurrent change: their times hardly differ.
func (w *Writes) GiveBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.times); n > 0 {
		w.times = w.times[:n-1]
	}
}
