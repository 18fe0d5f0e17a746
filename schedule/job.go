// Package schedule decides when jobs run, and keeps their outcomes.
//
// The decisions are pure: Job.Due decides from a job's past and the time. A job
// that was missed, because the computer was asleep or off, runs once, however
// often it was missed; a job never runs beside itself; a clock that is set
// back runs nothing a second time. Loop carries the decisions out, and Store
// keeps the past, in a file that is replaced in one step.
//
// Not guaranteed: times before a daemon first read the job with this timetable.
package schedule

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"agentflow/schedule/times"
)

// Job is something that is due again and again.
type Job struct {
	Name    string
	Scope   string // jitter differs between scopes
	Key     string // the timetable as text; a job with another one begins anew
	Times   times.Times
	Jitter  time.Duration // the most by which it is put off
	CatchUp bool          // a missed time is run once
}

// Verdict is the decision about a job now.
type Verdict int

// The verdicts.
const (
	Wait Verdict = iota
	Fire
	Miss // its time is over and it does not catch up
)

// late is how long after its time a job without CatchUp still runs: more than
// a loop sleeps.
const late = 5 * time.Minute

// ahead is how far a past may be ahead of the clock. Anything later was written
// by a clock that was wrong.
const ahead = 24 * time.Hour

// Due decides about the job at now. With Wait it also returns when the job is
// due, the zero time being never.
func (j Job) Due(p Past, now time.Time) (Verdict, time.Time) {
	slot, ok := j.Times.Next(p.Until)
	if !ok {
		return Wait, time.Time{}
	}
	at := slot.Add(j.putOff(slot))
	switch {
	case at.After(now):
		return Wait, at
	case !j.CatchUp && now.Sub(at) > late:
		return Miss, at
	}
	return Fire, at
}

// putOff is the job's jitter for one moment, from 0 to below Jitter: the same at
// every call.
func (j Job) putOff(slot time.Time) time.Duration {
	if j.Jitter <= 0 {
		return 0
	}
	sum := sha256.Sum256([]byte(j.Scope + "\x00" + j.Name + "\x00" + slot.UTC().Format(time.RFC3339)))
	return time.Duration(binary.BigEndian.Uint64(sum[:]) % uint64(j.Jitter)).Truncate(time.Second)
}

// pastAt is p as the job's past at now: a past of another timetable, or of a
// wrong clock, begins anew.
func (j Job) pastAt(p Past, now time.Time) Past {
	if p.Key != j.Key || p.Until.Sub(now) > ahead {
		p.Key, p.Until = j.Key, now
	}
	return p
}

// Next is when the job is due, in the past when it is overdue; the zero time
// is never.
func (j Job) Next(p Past, now time.Time) time.Time {
	_, at := j.Due(j.pastAt(p, now), now)
	return at
}

// Day is the day that the cost of a run at now counts for.
func (j Job) Day(now time.Time) string { return now.In(j.Times.Zone()).Format(time.DateOnly) }
