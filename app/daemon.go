package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"agentflow/config"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/schedule"
)

// DaemonRequest says how a daemon works.
type DaemonRequest struct {
	WatchRequest
	Program  string          // this program, absolute: jobs are processes of it
	Once     bool            // bring the index up to date, run what is due, and end
	Hurry    <-chan struct{} // closed when jobs that are ending should do so faster; may be nil
	OnFinish io.Writer       // takes what the on_finish command prints; may be nil
}

// Daemon does what Watch does, and runs the jobs of the settings when they are
// due, until ctx ends: that interrupts the jobs that run. It takes up settings
// that change. With Once it is an error that a job did not end well.
func (m *Memory) Daemon(ctx context.Context, req DaemonRequest) (result Done, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, lock, err := o.watcher(ctx, "daemon", req.WatchRequest)
	if err != nil {
		return result, err
	}
	d, err := s.newDaemon(ctx, lock, req)
	switch {
	case err != nil:
		return result, errors.Join(err, lock.lock.Release())
	case req.Once:
		return result, errors.Join(d.once(ctx), lock.lock.Release())
	}
	return result, d.serve(ctx)
}

// daemon is a running one.
type daemon struct {
	*jobRunner
	watched *openMemory
	lock    *watchLock
	loop    *schedule.Loop
	request DaemonRequest
	seen    string // the state of the files that its settings come from

	mu     sync.Mutex // one job at a time tells how it ended
	failed int        // jobs
}

// newDaemon opens the memory once more for jobs: the watch goes on beside them.
func (s *openMemory) newDaemon(ctx context.Context, lock *watchLock, req DaemonRequest) (*daemon, error) {
	jobMemory, err := s.assemble(ctx, s.Place, s.dirs, s.settings)
	if err != nil {
		return nil, err
	}
	jobs, err := jobMemory.jobs()
	if err != nil {
		return nil, err
	}
	r, err := jobMemory.newJobRunner(req.Program, req.Hurry)
	if err != nil {
		return nil, err
	}
	d := &daemon{jobRunner: r, watched: s, lock: lock, request: req, seen: s.settingsState()}
	d.loop = &schedule.Loop{Jobs: jobs, Store: r.store, Run: d.job, Now: time.Now,
		Trouble: func(err error) { d.tell("", err) }}
	return d, nil
}

// serve watches and runs jobs, with new settings when they change, until ctx
// ends, or the watch does, which it does
// when the repository is gone.
func (d *daemon) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	if len(d.loop.Jobs) > 0 {
		d.say("runs %s; 'agentflow schedule next' says when", plural.Count(len(d.loop.Jobs), "schedule"))
	}
	var jobs sync.WaitGroup // go on when the settings change
	var err error
	for next := d; next != nil && err == nil && ctx.Err() == nil; {
		d := next
		unchanged, changed := context.WithCancel(ctx)
		run := d.loop.Run
		d.loop.Run = func(_ context.Context, job schedule.Job) { run(ctx, job) }
		jobs.Go(func() { d.loop.Until(unchanged) })
		jobs.Go(func() { d.extractPasses(unchanged) })
		jobs.Go(func() { d.syncPasses(unchanged) })
		var look sync.WaitGroup
		look.Go(func() {
			if next = d.renewed(unchanged); next != nil {
				changed()
			}
		})
		err = d.watched.watchIndex(unchanged, d.lock)
		changed()
		look.Wait()
	}
	end()
	err = errors.Join(err, d.lock.lock.Release())
	jobs.Wait()
	return err
}

func (d *daemon) once(ctx context.Context) error {
	_, err := d.makeIndex(ctx, false)
	d.tell("", d.extractPending(ctx))
	d.loop.Once(ctx)
	if d.failed > 0 {
		err = errors.Join(err, fmt.Errorf("running what is due: %s did not end well", plural.Count(d.failed, "job")))
	}
	return err
}

// job runs a job that is due. Nothing it does ends the daemon.
func (d *daemon) job(ctx context.Context, job schedule.Job) {
	c, err := d.scheduled(job.Name)
	if err == nil {
		err = d.lock.check()
	}
	if err != nil {
		d.tell(job.Name, err)
		return
	}
	d.say("%s: %s begins", c.Name, c.What())
	report, err := d.run(ctx, c)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		now := time.Now()
		report.Outcome = schedule.Outcome{Started: now, Ended: now, Result: schedule.Skipped, Reason: "another process runs it: " + held.Holder.String()}
		err = d.store.Note(context.WithoutCancel(ctx), c.Name, report.Outcome)
	}
	d.ended(ctx, c, report)
	d.tell(job.Name, err)
}

// ended tells how a job ended. Its past keeps that, for status and doctor. A
// run calls on_finish itself.
func (d *daemon) ended(ctx context.Context, c config.Schedule, report jobReport) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch report.Result {
	case schedule.OK, schedule.Skipped:
		d.say("%s: %s", c.Name, jobOutcome(report.Outcome))
	default:
		d.failed++
		d.warn("%s: %s", c.Name, jobOutcome(report.Outcome))
		for _, line := range report.hints {
			d.hint("%s", line)
		}
	}
	if c.Task == "" && report.Result != schedule.Skipped {
		d.finished(ctx, finish{Job: c.Name, Outcome: string(report.Result), Summary: report.Reason}, d.request.OnFinish)
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
	d.degraded("schedule", []string{what})
}

const settingsEvery = 2 * time.Second

// settingsState differs between two states of the files that settings come
// from.
func (s *openMemory) settingsState() string {
	seen := ""
	for _, path := range []string{s.dirs.ConfigFile(), s.ConfigFile(), s.dirs.Trust().Path()} {
		if info, err := os.Stat(path); err == nil {
			seen += fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return seen
}

// renewed waits until the settings change, and returns a daemon that has them;
// nil when ctx ends. It warns of settings that cannot be used, and keeps those
// before them.
func (d *daemon) renewed(ctx context.Context) *daemon {
	for range ticks(ctx, settingsEvery) {
		seen := d.settingsState()
		if seen == d.seen {
			continue
		}
		d.seen = seen
		next, err := d.withNewSettings(ctx)
		if isSwitchedOff(err) {
			continue // the watch ends
		}
		if err == nil {
			next.say("took up the changed settings: %s", plural.Count(len(next.loop.Jobs), "schedule"))
			return next
		}
		d.tell("", fmt.Errorf("the changed settings cannot be used, those before them stay: %w", err))
	}
	return nil
}

// withNewSettings is the daemon with the settings as they are now. Jobs that
// run go on, and its tasks come after them.
func (d *daemon) withNewSettings(ctx context.Context) (*daemon, error) {
	settings, err := d.loadOn(d.Place, d.dirs)
	if err != nil {
		return nil, err
	}
	if err := d.request.overlay(settings); err != nil {
		return nil, err
	}
	renewed := *d.operation // the daemon warns again of an embedder that does not answer
	renewed.notices = nil
	watched, err := renewed.assemble(ctx, d.Place, d.dirs, settings)
	if err != nil {
		return nil, err
	}
	next, err := watched.newDaemon(ctx, d.lock, d.request)
	if err != nil {
		return nil, err
	}
	next.tasks, next.seen = d.tasks, d.seen
	return next, nil
}
