package api

import (
	"time"

	"agentflow/memory"
)

// EventKind is what an event tells of.
type EventKind string

// The kinds of events.
const (
	MemoryStored EventKind = "memoryStored" // a fact was stored or changed
	RunStarted   EventKind = "runStarted"
	RunProgress  EventKind = "runProgress"
	RunEnded     EventKind = "runEnded"
	Synced       EventKind = "synced" // the index took up changes
)

// Event tells what happened to memory, whoever did it.
type Event struct {
	Kind EventKind `json:"kind"`           // memoryStored, runStarted, runProgress, runEnded or synced
	Time time.Time `json:"time"`           // when it was seen
	Fact *Fact     `json:"fact,omitempty"` // of memoryStored
	Run  *RunState `json:"run,omitempty"`  // of the events of runs
}

// RunState is what a run does just now, or what came of it.
type RunState struct {
	ID      string         `json:"id"`                // the run's
	Agent   string         `json:"agent"`             // its name
	Task    string         `json:"task"`              // what the agent was asked to do
	Started time.Time      `json:"started_at"`        // when it began
	Doing   string         `json:"doing"`             // what the agent does just now; empty before it begins
	Turns   int            `json:"turns"`             // so far; 0 where the agent does not tell
	CostUSD float64        `json:"cost_usd"`          // so far, in US dollars; 0 where the agent does not tell
	Outcome memory.Outcome `json:"outcome,omitempty"` // what came of it; absent while it goes on
}
