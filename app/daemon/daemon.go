// Package daemon works in the background: Watch keeps the index up to date, Daemon also runs scheduled jobs, and
// Upkeep does either for a server. RunSchedule runs a job at once, and Schedules lists the jobs. InstallDaemon
// writes the file of a system service. Follow reports the changes of memory as they happen.
//
// The daemon is optional: no other operation needs it. One process watches a repository, and ends if the repository
// or its lock is removed. Jobs are processes of this program. A job never runs twice at the same time, only with a
// login, and only within its cost limit. When the daemon ends, it interrupts its jobs, which record that.
//
// Follow reports the changes of memory by any process: one reader of Markdown, run folders and index serves all
// listeners, each with a bounded queue. If a queue is full, one event counts the dropped ones.
//
// Not guaranteed: Follow may not report a change that is undone within a quarter of a second.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/extract"
	"agentflow/app/run"
	"agentflow/app/share"
	"agentflow/app/upkeep"
	"agentflow/internal/config"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/internal/schedule"
)

// Request holds the options of a daemon.
type Request struct {
	WatchRequest
	Program  string          // absolute path of this program, which jobs run
	Once     bool            // update the index, run the jobs that are due, and return
	Hurry    <-chan struct{} // closed when jobs should stop faster; may be nil
	OnFinish io.Writer       // gets the output of the on_finish command; may be nil
}

// Daemon does the work of Watch and runs the jobs of the settings when they are due, until ctx
// ends. That interrupts running jobs. It applies changed settings. With Once it returns an error if
// a job did not end well.
func Daemon(ctx context.Context, m *app.Memory, req Request) (result run.Done, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, lock, err := watcher(ctx, o, "daemon", req.WatchRequest)
	if err != nil {
		return result, err
	}
	d, err := newDaemon(ctx, s, lock, req)
	switch {
	case err != nil:
		return result, errors.Join(err, lock.Lock.Release())
	case req.Once:
		return result, errors.Join(d.once(ctx), lock.Lock.Release())
	}
	return result, d.serve(ctx)
}

// daemon is a running daemon with one state of the settings.
type daemon struct {
	Runner  *jobRunner
	watched *app.Repo
	lock    *upkeep.WatchLock
	Loop    *schedule.Loop
	request Request
	seen    string // SettingsState when the settings were read

	mu     sync.Mutex // held while a job or an error is reported
	failed int        // failed jobs, and errors of the daemon itself
}

// newDaemon opens the memory again for jobs, because the watch uses it at the same time.
func newDaemon(ctx context.Context, s *app.Repo, lock *upkeep.WatchLock, req Request) (*daemon, error) {
	jobMemory, err := s.Assemble(ctx, s.Place, s.Dirs, s.Settings)
	if err != nil {
		return nil, err
	}
	jobs, err := jobs(jobMemory)
	if err != nil {
		return nil, err
	}
	r, err := newJobRunner(jobMemory, req.Program, req.Hurry)
	if err != nil {
		return nil, err
	}
	d := &daemon{Runner: r, watched: s, lock: lock, request: req, seen: upkeep.SettingsState(s)}
	d.Loop = &schedule.Loop{Jobs: jobs, Store: r.Store, Run: d.Job, Now: time.Now,
		Trouble: func(err error) { d.tell("", err) }}
	return d, nil
}

// serve watches and runs jobs until ctx ends or the watch ends, which it does when the repository
// is gone. When the settings change it continues with the new ones.
func (d *daemon) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	if len(d.Loop.Jobs) > 0 {
		d.Runner.Say("runs %s; 'agentflow schedule next' says when", plural.Count(len(d.Loop.Jobs), "schedule"))
	}
	var jobs sync.WaitGroup // they continue when the settings change
	var err error
	for next := d; next != nil && err == nil && ctx.Err() == nil; {
		d := next
		unchanged, changed := context.WithCancel(ctx)
		run := d.Loop.Run
		d.Loop.Run = func(_ context.Context, job schedule.Job) { run(ctx, job) }
		jobs.Go(func() { d.Loop.Until(unchanged) })
		jobs.Go(func() { d.extractPasses(unchanged) })
		jobs.Go(func() { share.SyncPasses(unchanged, d.Runner.Repo) })
		var look sync.WaitGroup
		look.Go(func() {
			if next = d.renewed(unchanged); next != nil {
				changed()
			}
		})
		err = watchIndex(unchanged, d.watched, d.lock)
		changed()
		look.Wait()
	}
	end()
	err = errors.Join(err, d.lock.Lock.Release())
	jobs.Wait()
	return err
}

func (d *daemon) once(ctx context.Context) error {
	_, err := upkeep.MakeIndex(ctx, d.Runner.Repo, false)
	d.tell("", extract.Pending(ctx, d.Runner.Repo))
	d.Loop.Once(ctx)
	if d.failed > 0 {
		err = errors.Join(err, fmt.Errorf("running due jobs: %s failed", plural.Count(d.failed, "job")))
	}
	return err
}

// Job runs a job that is due. No error in it ends the daemon.
func (d *daemon) Job(ctx context.Context, job schedule.Job) {
	c, err := findSchedule(d.Runner.Repo, job.Name)
	if err == nil {
		err = d.lock.Check()
	}
	if err != nil {
		d.tell(job.Name, err)
		return
	}
	d.Runner.Say("%s: %s begins", c.Name, c.What())
	report, err := d.Runner.run(ctx, c)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		now := time.Now()
		report.Outcome = schedule.Outcome{Started: now, Ended: now, Result: schedule.Skipped, Reason: "another process runs it: " + held.Holder.String()}
		err = d.Runner.Store.Note(context.WithoutCancel(ctx), c.Name, report.Outcome)
	}
	d.ended(ctx, c, report)
	d.tell(job.Name, err)
}

// ended reports how a job ended. The job's history keeps the outcome for status and doctor. A run
// calls on_finish itself.
func (d *daemon) ended(ctx context.Context, c config.Schedule, report jobReport) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch report.Result {
	case schedule.OK, schedule.Skipped:
		d.Runner.Say("%s: %s", c.Name, jobOutcome(report.Outcome))
	default:
		d.failed++
		d.Runner.Warn("%s: %s", c.Name, jobOutcome(report.Outcome))
		for _, line := range report.hints {
			d.Runner.Hint("%s", line)
		}
	}
	if c.Task == "" && report.Result != schedule.Skipped {
		run.Finished(ctx, d.Runner.Repo, run.Finish{Job: c.Name, Outcome: string(report.Result), Summary: report.Reason}, d.request.OnFinish)
	}
}

// tell warns of an error of the daemon itself, and records it.
func (d *daemon) tell(job string, err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed++
	what := err.Error()
	if job != "" {
		what = job + ": " + what
	}
	d.Runner.Degraded("schedule", []string{what})
}

const settingsEvery = 2 * time.Second

// renewed waits until the settings change, and returns a daemon with the new ones. It returns nil
// when ctx ends. It warns of settings that cannot be used, and waits for the next change.
func (d *daemon) renewed(ctx context.Context) *daemon {
	for range app.Ticks(ctx, settingsEvery) {
		seen := upkeep.SettingsState(d.Runner.Repo)
		if seen == d.seen {
			continue
		}
		d.seen = seen
		next, err := d.withNewSettings(ctx)
		if app.IsSwitchedOff(err) {
			continue // the watch ends as well
		}
		if err == nil {
			next.Runner.Say("took up the changed settings: %s", plural.Count(len(next.Loop.Jobs), "schedule"))
			return next
		}
		d.tell("", fmt.Errorf("the changed settings cannot be used, those before them stay: %w", err))
	}
	return nil
}

// withNewSettings returns a daemon with the current settings. Running jobs continue, and tasks of
// the new daemon wait for them.
func (d *daemon) withNewSettings(ctx context.Context) (*daemon, error) {
	settings, err := d.Runner.LoadOn(d.Runner.Place, d.Runner.Dirs)
	if err != nil {
		return nil, err
	}
	if err := d.request.overlay(settings); err != nil {
		return nil, err
	}
	renewed := *d.Runner.Operation // so the daemon warns again of an embedder that does not answer
	renewed.Notices = nil
	watched, err := renewed.Assemble(ctx, d.Runner.Place, d.Runner.Dirs, settings)
	if err != nil {
		return nil, err
	}
	next, err := newDaemon(ctx, watched, d.lock, d.request)
	if err != nil {
		return nil, err
	}
	next.Runner.tasks, next.seen = d.Runner.tasks, d.seen
	return next, nil
}
