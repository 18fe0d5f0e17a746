package app

import (
	"errors"
	"slices"
	"strings"
	"time"

	"agentflow/config"
	"agentflow/memory"
	"agentflow/schedule"
)

// scheduleObject is a schedule as `schedule list --json` and `status --json`
// print it.
type scheduleObject struct {
	Name       string             `json:"name"`
	What       string             `json:"what"` // consolidate, index, backfill or task
	Task       string             `json:"task"`
	Cron       string             `json:"cron"`
	Zone       string             `json:"zone"`      // empty: the system's
	Next       *time.Time         `json:"next"`      // when a daemon runs it; null: never
	Running    bool               `json:"running"`   // now
	SpentUSD   float64            `json:"spent_usd"` // today
	MaxCostDay float64            `json:"max_cost_day"`
	History    []schedule.Outcome `json:"history"` // oldest first
}

// schedules is what is scheduled here, and what became of it. With an error
// the list is what could be found out.
func (s *site) schedules(now time.Time) ([]scheduleObject, error) {
	list := []scheduleObject{}
	jobs, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return list, err
	}
	store, err := s.pastOfJobs()
	if err != nil {
		return list, err
	}
	state, err := store.Read()
	for i, c := range s.settings.Schedules {
		o := newScheduleObject(c, jobs[i], state[c.Name], now)
		running, unknown := store.Running(c.Name)
		o.Running, err = running, errors.Join(err, unknown)
		list = append(list, o)
	}
	return list, err
}

func newScheduleObject(c config.Schedule, job schedule.Job, p schedule.Past, now time.Time) scheduleObject {
	o := scheduleObject{Name: c.Name, What: c.What(), Task: c.Task, Cron: c.Cron, Zone: c.Zone,
		SpentUSD: p.Spent[job.Day(now)], MaxCostDay: c.MaxCostDay, History: filled(p.History)}
	if next := job.Next(p, now); !next.IsZero() {
		o.Next = &next
	}
	return o
}

// dueTime is how people are told when a job is due: its zone may not be theirs.
const dueTime = "2006-01-02 15:04 -07:00"

// when is when it runs next, for people.
func (o scheduleObject) when() string {
	switch {
	case o.Running:
		return "running now"
	case o.Next == nil:
		return "never"
	}
	return "next " + o.Next.Format(dueTime)
}

// last is how it last ended, for people.
func (o scheduleObject) last() string {
	if len(o.History) == 0 {
		return "never run"
	}
	return lastLine(o.History[len(o.History)-1])
}

func lastLine(past schedule.Outcome) string {
	return "last " + past.Started.Local().Format("2006-01-02 15:04") + " " + jobLine(past)
}

// cost is what it cost today, for people; nothing of what costs nothing.
func (o scheduleObject) cost() string {
	switch {
	case o.MaxCostDay > 0:
		return "; " + memory.Price(o.SpentUSD) + " of " + memory.Price(o.MaxCostDay) + " today"
	case o.SpentUSD > 0:
		return "; " + memory.Price(o.SpentUSD) + " today"
	}
	return ""
}

func (s *site) printSchedules(list []scheduleObject) {
	if len(list) == 0 {
		s.say("nothing is scheduled")
		s.hint("add [[schedule]] with name, cron and job or task to %s", s.dirs.ConfigFile())
	}
	for _, o := range list {
		s.printf("%s  %s  %s  %s\n", s.bold(o.Name), o.What, cleanLine(o.Cron+" "+o.Zone), o.when())
		s.printf("    %s%s\n", cleanLine(o.last()), o.cost())
	}
}

// printScheduleRows are the schedules in a status.
func printScheduleRows(list []scheduleObject, row func(label, format string, args ...any)) {
	for _, o := range list {
		row("schedule", "%s: %s; %s", o.Name, o.when(), cleanLine(o.last()))
	}
}

// lastRun is how it ended the last time that it was started or should have
// been, skipped times left out.
func (o scheduleObject) lastRun() (schedule.Outcome, bool) {
	for _, past := range slices.Backward(o.History) {
		if past.Result != schedule.Skipped {
			return past, true
		}
	}
	return schedule.Outcome{}, false
}

// checkSchedules are the doctor's lines about schedules that did not end well
// the last time.
func checkSchedules(list []scheduleObject) []check {
	var out []check
	for _, o := range list {
		if last, ran := o.lastRun(); ran && (last.Result == schedule.Failed || last.Result == schedule.TimedOut) {
			out = append(out, check{"schedule", gradeWarn, o.Name + ": " + lastLine(last), "'agentflow schedule run " + o.Name + "' tries it again"})
		}
	}
	return out
}

// settledSchedule says whether what was recorded of a schedule is over: the
// schedule is gone, or has ended well since.
func settledSchedule(f failure, list []scheduleObject) bool {
	if f.Verb != "schedule" {
		return false
	}
	name, _, named := strings.Cut(f.What, ": ")
	if !named || strings.Contains(name, " ") {
		return false // of the daemon itself
	}
	for _, o := range list {
		if o.Name == name {
			return slices.ContainsFunc(o.History, func(past schedule.Outcome) bool { return past.Result == schedule.OK && past.Ended.After(f.Time) })
		}
	}
	return true
}
