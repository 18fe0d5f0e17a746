package api

import (
	"time"

	"agentflow/memory"
)

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events.
const (
	MemoryStored    EventKind = "memoryStored"    // facts were stored that memory did not hold
	MemoryChanged   EventKind = "memoryChanged"   // facts that memory holds were edited, pinned, struck or merged
	MemoryForgotten EventKind = "memoryForgotten" // facts were removed from memory
	RunStarted      EventKind = "runStarted"      // a run began, or was active when the listener began
	RunProgress     EventKind = "runProgress"     // the current step of a run, its turns or its cost changed
	RunEnded        EventKind = "runEnded"        // a run ended
	Synced          EventKind = "synced"          // the contents of the search index changed
	Missed          EventKind = "missed"          // the listener was too slow: events before this one are lost
)

// Event tells what happened to a memory, whoever did it: this process, another
// one, or a person with an editor.
type Event struct {
	Kind    EventKind `json:"kind"`              // memoryStored, memoryChanged, memoryForgotten, runStarted, runProgress, runEnded, synced or missed
	Time    time.Time `json:"time"`              // when it was noticed
	ID      string    `json:"id,omitempty"`      // of the fact or the run; absent for a fact that a person wrote without an id, and for many at once
	Fact    *Fact     `json:"fact,omitempty"`    // of memoryStored and memoryChanged: the fact as it is now; absent for many at once
	Count   int       `json:"count,omitempty"`   // how many facts one event stands for, above 100 at once, or how many events were lost
	Run     *RunState `json:"run,omitempty"`     // of runStarted, runProgress and runEnded
	Edition string    `json:"edition,omitempty"` // of synced: names what the index holds, and says nothing else; absent while there is no index
}

// RunState is how far a run is, or what came of it.
type RunState struct {
	LiveRun
	Doing      string         `json:"doing"`             // what it does now, or did last: "claude: Edit auth/session.go"; one line
	Turns      int            `json:"turns"`             // how many turns the agent took so far; 0 where it does not tell
	CostUSD    float64        `json:"cost_usd"`          // what the run cost so far in US dollars; 0 where the agent does not tell
	Outcome    memory.Outcome `json:"outcome,omitempty"` // how it ended: ok, failed, timeout, interrupted or not_started; absent while it goes on
	DurationMS int64          `json:"duration_ms"`       // how long it took, or has gone on for, in milliseconds
	Recorded   bool           `json:"recorded"`          // memory holds an entry of the run, with its id
}
