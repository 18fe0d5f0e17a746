package schedule

import (
	"maps"
	"slices"
	"time"
)

// Past is the past of one job.
type Past struct {
	Key     string             `json:"key"`               // its timetable
	Until   time.Time          `json:"until"`             // times up to this one are handled
	Running *Start             `json:"running,omitempty"` // stays if the process that ran it was killed
	Spent   map[string]float64 `json:"spent,omitempty"`   // US dollars, by day
	History []Outcome          `json:"history"`           // oldest first, at most keepOutcomes
}

// Start describes a run of a job that has not ended.
type Start struct {
	At  time.Time `json:"at"`
	Day string    `json:"day"`     // the day to which its cost counts
	Cap float64   `json:"cap_usd"` // the maximum cost; 0: no limit
}

// Result is how a run of a job ended.
type Result string

// The results.
const (
	OK          Result = "ok"
	Failed      Result = "failed"
	TimedOut    Result = "timeout"
	Interrupted Result = "interrupted"
	Skipped     Result = "skipped" // not started
)

// Outcome describes one run of a job, or why there was none.
type Outcome struct {
	Started  time.Time `json:"started_at"`
	Ended    time.Time `json:"ended_at"`
	Result   Result    `json:"result"`
	Reason   string    `json:"reason,omitempty"`
	ExitCode int       `json:"exit_code"`
	CostUSD  float64   `json:"cost_usd"`
	Run      string    `json:"run,omitempty"`   // id of the agent's run
	Times    int       `json:"times,omitempty"` // how many times in a row it was skipped for this reason, if more than once
}

// keepOutcomes and keepDays limit a job's past.
const (
	keepOutcomes = 50
	keepDays     = 31
)

func (p *Past) begin(s Start) { p.Running, p.Until = &s, later(p.Until, s.At) }

// end notes how the current run ended.
func (p *Past) end(o Outcome) {
	if p.Running != nil && o.CostUSD > 0 {
		p.spend(p.Running.Day, o.CostUSD)
	}
	p.Running = nil
	p.note(o)
}

// note stores an outcome. Repeated skips of a job share one outcome, so that earlier runs stay
// in the history.
func (p *Past) note(o Outcome) {
	p.Until = later(p.Until, o.Started)
	if last := p.Last(); last != nil && o.Result == Skipped && last.Result == Skipped && last.Reason == o.Reason {
		last.Ended, last.Times = o.Ended, max(last.Times, 1)+1
		return
	}
	p.History = append(p.History, o)
	p.History = slices.Clone(p.History[max(0, len(p.History)-keepOutcomes):])
}

// abandon ends a run of a process that was killed. Its cost is unknown, so its limit counts:
// runs that are killed repeatedly must not exceed the cost limit of a day.
func (p *Past) abandon() {
	s := p.Running
	if s == nil {
		return
	}
	p.end(Outcome{Started: s.At, Ended: s.At, Result: Interrupted, Reason: "it was killed; when is not known", ExitCode: -1, CostUSD: s.Cap})
}

func (p *Past) spend(day string, cost float64) {
	if p.Spent == nil {
		p.Spent = map[string]float64{}
	}
	p.Spent[day] += cost
	for days := slices.Sorted(maps.Keys(p.Spent)); len(days) > keepDays; days = days[1:] {
		delete(p.Spent, days[0])
	}
}

// Last returns the newest outcome, or nil if there is none.
func (p Past) Last() *Outcome {
	if len(p.History) == 0 {
		return nil
	}
	return &p.History[len(p.History)-1]
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Allowance returns the maximum cost of a run: perRun, or the rest of perDay after spent; 0
// means no limit. It returns false if the day's limit is reached.
func Allowance(perRun, perDay, spent float64) (limit float64, ok bool) {
	if perDay == 0 {
		return perRun, true
	}
	left := perDay - spent
	if left <= 0 {
		return 0, false
	}
	if perRun == 0 || left < perRun {
		return left, true
	}
	return perRun, true
}
