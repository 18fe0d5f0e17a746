// Package schedule decides when jobs run, and stores their outcomes.
//
// The decisions are pure: Job.Due decides from a job's past and the time. A job that was
// missed, because the computer was asleep or off, runs once, even if it was missed several
// times. A job never runs twice at the same time. If the clock is set back, no run is repeated.
// Loop carries out the decisions. Store stores the past, in a file that is replaced atomically.
//
// Not guaranteed: times before a daemon first read the job with this timetable.
package schedule

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"agentflow/internal/schedule/times"
)

// Job is a task that is due repeatedly.
type Job struct {
	Name    string
	Scope   string // jitter differs between scopes
	Key     string // the timetable as text; the past of another timetable does not count
	Times   times.Times
	Jitter  time.Duration // maximum delay
	CatchUp bool          // a missed time leads to one later run
}

// Verdict is the decision about a job at a time.
type Verdict int

// The verdicts.
const (
	Wait Verdict = iota
	Fire
	Miss // the time has passed, and the job does not catch up
)

// late is how long after its time a job without CatchUp still runs: longer than a loop sleeps.
const late = 5 * time.Minute

// ahead limits a past's lead over the clock. A later past comes from a wrong clock.
const ahead = 24 * time.Hour

// Due decides about the job at now. With Wait it also returns when the job is due, or the zero
// time for never.
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

// putOff returns the job's jitter for one moment, at least 0 and less than Jitter. It is the
// same for every call.
func (j Job) putOff(slot time.Time) time.Duration {
	if j.Jitter <= 0 {
		return 0
	}
	sum := sha256.Sum256([]byte(j.Scope + "\x00" + j.Name + "\x00" + slot.UTC().Format(time.RFC3339)))
	return time.Duration(binary.BigEndian.Uint64(sum[:]) % uint64(j.Jitter)).Truncate(time.Second)
}

// pastAt returns p as the job's past at now. It resets a past of another timetable, or from a
// wrong clock.
func (j Job) pastAt(p Past, now time.Time) Past {
	if p.Key != j.Key || p.Until.Sub(now) > ahead {
		p.Key, p.Until = j.Key, now
	}
	return p
}

// Next returns when the job is due. The time is in the past if the job is overdue, and zero for
// never.
func (j Job) Next(p Past, now time.Time) time.Time {
	_, at := j.Due(j.pastAt(p, now), now)
	return at
}

// Day returns the day to which the cost of a run at now counts.
func (j Job) Day(now time.Time) string { return now.In(j.Times.Zone()).Format(time.DateOnly) }
