package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/run"
	"agentflow/internal/config"
	"agentflow/internal/filelock"
	"agentflow/internal/lists"
	"agentflow/internal/schedule"
)

// SchedulesResult lists the schedules in the order of the settings.
type SchedulesResult struct {
	Schedules []api.Schedule
	Settings  string // the file that schedules belong in, absolute
	Degraded  []string
}

// Schedules reports the scheduled jobs, when each is due, and how its runs ended.
func Schedules(ctx context.Context, m *app.Memory) (result SchedulesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err != nil {
		return result, err
	}
	var trouble error
	if result.Schedules, trouble = ListSchedules(s, time.Now()); trouble != nil {
		s.Warn("%v", trouble)
	}
	result.Settings = s.Dirs.ConfigFile()
	return result, nil
}

// RunScheduleRequest names a job to run now.
type RunScheduleRequest struct {
	Name     string
	Program  string          // this program, absolute: it runs the job as a child process
	Hurry    <-chan struct{} // closed when a job that is ending should do so faster; may be nil
	OnFinish io.Writer       // gets the output of the on_finish command; may be nil
}

// RunScheduleResult is how the job ended.
type RunScheduleResult struct {
	Outcome  api.JobOutcome
	Log      string   // the file of its output, relative to the working tree when it is there
	Hints    []string // what to do about an outcome that is not ok
	Degraded []string
}

// RunSchedule runs a job at once, under the daemon's rules: only one run of the
// job at a time, only with a login, and only within its cost limit. Canceling ctx
// interrupts the job. A job that fails is not an error. KindLocked reports that the
// job is already running.
func RunSchedule(ctx context.Context, m *app.Memory, req RunScheduleRequest) (result RunScheduleResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err != nil {
		return result, err
	}
	c, err := findSchedule(s, req.Name)
	if err != nil {
		return result, err
	}
	r, err := newJobRunner(s, req.Program, req.Hurry)
	if err != nil {
		return result, err
	}
	report, err := r.run(ctx, c)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		err = &app.Error{Kind: app.KindLocked, Err: err, Hint: "a job runs only once at a time; try again when it has ended"}
	}
	if err != nil {
		return result, err
	}
	if c.Task == "" && report.ExitCode >= 0 {
		run.Finished(ctx, s, run.Finish{Job: c.Name, Outcome: string(report.Result), Summary: report.Reason}, req.OnFinish)
	}
	return RunScheduleResult{Outcome: jobOutcome(report.Outcome), Log: s.Shown(jobLog(r.Store, c.Name)), Hints: report.hints}, nil
}

func jobs(s *app.Repo) ([]schedule.Job, error) {
	var list []schedule.Job
	for _, c := range s.Settings.Schedules {
		job, err := job(s, c)
		if err != nil {
			return nil, err
		}
		list = append(list, job)
	}
	return list, nil
}

func job(s *app.Repo, c config.Schedule) (schedule.Job, error) {
	due, err := c.Times()
	if err != nil {
		return schedule.Job{}, fmt.Errorf("schedule %s: %w", c.Name, err)
	}
	return schedule.Job{Name: c.Name, Scope: s.State(), Key: strings.TrimSpace(c.Cron + " " + c.Zone),
		Times: due, Jitter: c.Jitter, CatchUp: c.CatchUp}, nil
}

func findSchedule(s *app.Repo, name string) (config.Schedule, error) {
	list := s.Settings.Schedules
	if i := slices.IndexFunc(list, func(c config.Schedule) bool { return c.Name == name }); i >= 0 {
		return list[i], nil
	}
	err := app.Usagef("there is no schedule %q", name)
	err.Hint = "there are " + strings.Join(lists.Mapped(list, func(c config.Schedule) string { return c.Name }), ", ")
	if len(list) == 0 {
		err.Hint = "add [[schedule]] with name, cron and job or task to " + s.Dirs.ConfigFile()
	}
	return config.Schedule{}, err
}

// pastOfJobs returns the store of job outcomes. It is next to the log, or in the
// user's folders if the log's folder cannot be written.
func pastOfJobs(s *app.Repo) (schedule.Store, error) {
	var failed error
	for _, dir := range stateFolders(s) {
		store := schedule.Store{Dir: dir, Notice: func(what string) { s.Degraded("schedule", []string{what}) }}
		if _, err := os.Stat(store.Path()); err == nil {
			return store, nil
		}
		err := Probe(dir)
		if err == nil {
			return store, nil
		}
		failed = errors.Join(failed, err)
	}
	return schedule.Store{}, fmt.Errorf("keeping the past of schedules: %w", failed)
}

func jobLog(store schedule.Store, name string) string {
	return filepath.Join(store.Folder(), name+".log")
}

// ListSchedules lists the scheduled jobs and how they ended. With an error the
// list may be incomplete.
func ListSchedules(s *app.Repo, now time.Time) ([]api.Schedule, error) {
	list := []api.Schedule{}
	jobs, err := jobs(s)
	if err != nil || len(jobs) == 0 {
		return list, err
	}
	store, err := pastOfJobs(s)
	if err != nil {
		return list, err
	}
	state, err := store.Read()
	for i, c := range s.Settings.Schedules {
		past := state[c.Name]
		o := api.Schedule{Name: c.Name, What: c.What(), Task: c.Task, Cron: c.Cron, Zone: c.Zone,
			SpentUSD: past.Spent[jobs[i].Day(now)], MaxCostDay: c.MaxCostDay, History: lists.Mapped(past.History, jobOutcome)}
		if next := jobs[i].Next(past, now); !next.IsZero() {
			o.Next = &next
		}
		running, unknown := store.Running(c.Name)
		o.Running, err = running, errors.Join(err, unknown)
		list = append(list, o)
	}
	return list, err
}

func jobOutcome(o schedule.Outcome) api.JobOutcome {
	return api.JobOutcome{Started: o.Started, Ended: o.Ended, Result: string(o.Result), Reason: o.Reason,
		ExitCode: o.ExitCode, CostUSD: o.CostUSD, Run: o.Run, Times: o.Times}
}

// CheckSchedules returns doctor's lines about schedules with a bad last
// result.
func CheckSchedules(list []api.Schedule) []api.Check {
	var out []api.Check
	for _, o := range list {
		if last, ran := o.LastRun(); ran && (last.Result == api.JobFailed || last.Result == api.JobTimedOut) {
			out = append(out, api.Check{Name: "schedule", Grade: api.GradeWarn, Detail: o.Name + ": last " + last.Started.Local().Format("2006-01-02 15:04") + " " + last.String(),
				Hint: "'agentflow schedule run " + o.Name + "' tries it again"})
		}
	}
	return out
}

// OverSchedule reports whether a failure of a schedule is over: the schedule was
// removed, or has ended well since.
func OverSchedule(f api.Failure, list []api.Schedule) bool {
	name, _, named := strings.Cut(f.What, ": ")
	if f.Command != "schedule" || !named || strings.Contains(name, " ") {
		return false // of another part, or of the daemon itself
	}
	i := slices.IndexFunc(list, func(o api.Schedule) bool { return o.Name == name })
	return i < 0 || slices.ContainsFunc(list[i].History, func(past api.JobOutcome) bool { return past.Result == api.JobOK && past.Ended.After(f.Time) })
}
