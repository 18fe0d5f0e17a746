package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentflow/internal/plural"

	"agentflow/config"
	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/schedule"

	"github.com/spf13/cobra"
)

type daemonOptions struct {
	watchOptions
	once, install, uninstall bool
}

func (a *operation) daemonCommand() *cobra.Command {
	var o daemonOptions
	cmd := &cobra.Command{
		Use:   "daemon [flags]",
		Short: "Index changes as they are made, and run what is scheduled",
		Long: `Daemon does what watch does, and runs the jobs that [[schedule]] in your config
names when they are due. A job runs as a process of its own and never beside
itself; one task runs after the other. What was missed while the computer
slept, or no daemon ran, is run once. What a job says is in its log in
.git/agentflow/schedule; how it ended is in 'agentflow schedule list' and
'agentflow status'. Settings that change, schedules too, are taken up within
seconds; jobs that run go on as they were begun.

No verb needs it. It runs until it is interrupted or terminated, which is its
normal end (exit code 0): jobs that run are interrupted and recorded, and a
second interrupt hurries. There is one for a repository and its linked work
trees.

--once brings the index up to date, runs what is due, and ends: with 1 when a
job failed. --install writes what starts the daemon with your session (a unit
of systemd, or a file for launchd), and starts nothing itself. The variables by
which agents are found and reached go into it, keys do not: it says which are
left out and how to give them.`,
		Example: "  agentflow daemon\n  agentflow daemon --once\n  agentflow daemon --install",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.quiet = o.quiet
			switch {
			case o.install:
				return a.installDaemon(cmd.Context())
			case o.uninstall:
				return a.uninstallDaemon(cmd.Context())
			}
			return a.daemon(cmd.Context(), o)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.once, "once", false, "run what is due, and end")
	f.BoolVar(&o.install, "install", false, "write what starts the daemon with your session")
	f.BoolVar(&o.uninstall, "uninstall", false, "remove what --install wrote")
	exclusive(cmd, "once", "install", "uninstall")
	return cmd
}

// daemon is the verb.
func (a *operation) daemon(ctx context.Context, o daemonOptions) error {
	s, held, err := a.claimed(ctx, "daemon", o.watchOptions)
	if err != nil {
		return err
	}
	stop, hurry, done := s.interruptible(ctx, "the daemon")
	defer done()
	d, err := s.newDaemon(ctx, held, hurry, o.watchOptions)
	if err != nil {
		return errors.Join(err, held.lock.Release())
	}
	if o.once {
		return errors.Join(d.once(stop), held.lock.Release())
	}
	return d.serve(stop)
}

// daemon is a running one.
type daemon struct {
	*jobRunner
	watched *site
	held    *claim
	loop    *schedule.Loop
	options watchOptions
	seen    string // the state of the files that its settings come from

	mu     sync.Mutex // one job at a time tells how it ended
	failed int        // jobs
}

// newDaemon gives jobs a site of their own: the watch goes on beside them.
func (s *site) newDaemon(ctx context.Context, held *claim, hurry <-chan struct{}, o watchOptions) (*daemon, error) {
	own, err := s.open(ctx, s.Place, s.dirs, s.settings)
	if err != nil {
		return nil, err
	}
	jobs, err := own.jobs()
	if err != nil {
		return nil, err
	}
	r, err := own.newJobRunner(hurry)
	if err != nil {
		return nil, err
	}
	d := &daemon{jobRunner: r, watched: s, held: held, options: o, seen: s.settingsSeen()}
	d.loop = &schedule.Loop{Jobs: jobs, Store: r.store, Run: d.job, Now: time.Now,
		Trouble: func(err error) { d.tell("", err) }}
	return d, nil
}

// serve watches and runs jobs until ctx ends, or the watch does, which it does
// when the repository is gone.
func (d *daemon) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	if len(d.loop.Jobs) > 0 {
		d.say("runs %s; 'agentflow schedule next' says when", plural.Count(len(d.loop.Jobs), "schedule"))
	}
	var jobs sync.WaitGroup
	var err error
	held := d.held
	for d != nil {
		d, err = d.untilChanged(ctx, &jobs)
	}
	end()
	err = errors.Join(err, held.lock.Release())
	jobs.Wait()
	return err
}

// untilChanged serves until the settings change, and returns the daemon that
// serves then, or nil at the end of all. Jobs that run go on beside that one.
func (d *daemon) untilChanged(ctx context.Context, jobs *sync.WaitGroup) (next *daemon, err error) {
	unchanged, end := context.WithCancel(ctx)
	run := d.loop.Run
	d.loop.Run = func(_ context.Context, job schedule.Job) { run(ctx, job) }
	jobs.Go(func() { d.loop.Until(unchanged) })
	jobs.Go(func() { d.learnPasses(unchanged) })
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		if next = d.renewed(unchanged); next != nil {
			end()
		}
	}()
	err = d.watched.watchIndex(unchanged, d.held)
	end()
	<-looked
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	return next, nil
}

// once is a single pass.
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
		err = d.held.stands()
	}
	if err != nil {
		d.tell(job.Name, err)
		return
	}
	d.say("%s: %s begins", c.Name, c.What())
	o, err := d.run(ctx, c)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		now := time.Now()
		o.Outcome = schedule.Outcome{Started: now, Ended: now, Result: schedule.Skipped, Reason: "somebody else runs it: " + held.Holder.String()}
		err = d.store.Note(context.WithoutCancel(ctx), c.Name, o.Outcome)
	}
	d.ended(ctx, c, o)
	d.tell(job.Name, err)
}

// ended tells how a job ended. Its past keeps that, for status and doctor. A
// run has told on_finish itself.
func (d *daemon) ended(ctx context.Context, c config.Schedule, o jobReport) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch o.Result {
	case schedule.OK, schedule.Skipped:
		d.say("%s: %s", c.Name, jobLine(o.Outcome))
	default:
		d.failed++
		d.warn("%s: %s", c.Name, jobLine(o.Outcome))
		for _, line := range o.hints {
			d.hint("%s", line)
		}
	}
	if c.Task == "" && o.Result != schedule.Skipped {
		d.finished(ctx, finish{Job: c.Name, Outcome: string(o.Result), Summary: o.Reason})
	}
}

// tell says and records trouble of the daemon itself.
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

// jobLine is how a job ended, in a line.
func jobLine(o schedule.Outcome) string {
	line := string(o.Result)
	if long := o.Ended.Sub(o.Started); o.ExitCode >= 0 && o.Result != schedule.Skipped {
		line += " in " + long.Round(precision(long)).String()
	}
	if o.CostUSD > 0 {
		line += ", " + memory.Price(o.CostUSD)
	}
	if o.Reason != "" {
		line += ": " + o.Reason
	}
	return line
}
