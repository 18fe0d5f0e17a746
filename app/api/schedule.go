package api

import (
	"time"

	"agentflow/internal/plural"
	"agentflow/memory"
)

// Schedule is a job that is run at certain times, and how it ended so far.
type Schedule struct {
	Name       string       `json:"name"`         // its name in the settings
	What       string       `json:"what"`         // consolidate, index, backfill or task
	Task       string       `json:"task"`         // what an agent is asked to do; empty of other jobs
	Cron       string       `json:"cron"`         // when it is due
	Zone       string       `json:"zone"`         // the time zone of cron; empty: the system's
	Next       *time.Time   `json:"next"`         // when a daemon runs it; null: never
	Running    bool         `json:"running"`      // it runs now
	SpentUSD   float64      `json:"spent_usd"`    // US dollars, today
	MaxCostDay float64      `json:"max_cost_day"` // US dollars that it may cost in a day; 0: any
	History    []JobOutcome `json:"history"`      // the last 50, oldest first
}

// JobOutcome is how a job ended once, or why it was not started.
type JobOutcome struct {
	Started  time.Time `json:"started_at"`       // when it began
	Ended    time.Time `json:"ended_at"`         // when it ended
	Result   string    `json:"result"`           // ok, failed, timeout, interrupted or skipped
	Reason   string    `json:"reason,omitempty"` // why it did not end well
	ExitCode int       `json:"exit_code"`        // of its process; -1 when none was started
	CostUSD  float64   `json:"cost_usd"`         // US dollars
	Run      string    `json:"run,omitempty"`    // id of the agent's run
	Times    int       `json:"times,omitempty"`  // how often in a row it was skipped for this reason, when more than once
}

// The results of a job that this package or its callers distinguish.
const (
	JobOK       = "ok"
	JobFailed   = "failed"
	JobTimedOut = "timeout"
	JobSkipped  = "skipped" // not started
)

// String returns a line about how the job ended.
func (o JobOutcome) String() string {
	line := o.Result
	if o.ExitCode >= 0 && o.Result != JobSkipped {
		line += " in " + plural.Duration(o.Ended.Sub(o.Started))
	}
	if o.CostUSD > 0 {
		line += ", " + memory.Price(o.CostUSD)
	}
	if o.Reason != "" {
		line += ": " + o.Reason
	}
	return line
}

// LastRun returns how the job ended when it last ran or failed to start. It ignores skipped times.
// ok is false if there is no such time.
func (s Schedule) LastRun() (last JobOutcome, ok bool) {
	for _, o := range s.History {
		if o.Result != JobSkipped {
			last, ok = o, true
		}
	}
	return last, ok
}
