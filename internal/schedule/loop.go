package schedule

import (
	"context"
	"slices"
	"time"
)

// wakeEvery limits the sleep of a loop: within that time it notices that the
// computer was asleep, or that its clock was set.
const wakeEvery = time.Minute

// Loop runs jobs when they are due.
type Loop struct {
	Jobs  []Job
	Store Store
	// Run runs a job that is due until it ends or ctx does, and stores the outcome. Each call
	// has a separate goroutine, but there is only one call at a time for each job.
	Run func(ctx context.Context, job Job)
	// Trouble is called once with an error that hinders the loop. The loop continues.
	Trouble func(error)
	Now     func() time.Time                     // the clock of the computer
	After   func(time.Duration) <-chan time.Time // nil: time.After

	running  map[string]bool
	ended    chan string
	reported string // the last trouble
}

// Until runs jobs until ctx ends, and returns when none is running any more.
func (l *Loop) Until(ctx context.Context) {
	l.running, l.ended = map[string]bool{}, make(chan string)
	after := l.After
	if after == nil {
		after = time.After
	}
	var next, before time.Time
	for ctx.Err() == nil {
		now := l.Now().Round(0) // without the monotonic clock, which stops while a computer sleeps
		if !now.Before(next) || now.Before(before) {
			next = l.look(ctx, now)
		}
		before = now
		select {
		case <-ctx.Done():
		case name := <-l.ended:
			delete(l.running, name)
			next = now
		case <-after(min(max(next.Sub(now), 0), wakeEvery)):
		}
	}
	for range l.running {
		<-l.ended
	}
}

// Once runs the jobs that are due and returns when they have ended.
func (l *Loop) Once(ctx context.Context) {
	l.running, l.ended = map[string]bool{}, make(chan string)
	l.look(ctx, l.Now().Round(0))
	for range l.running {
		<-l.ended
	}
}

// look starts the jobs that are due, and returns when to look again.
func (l *Loop) look(ctx context.Context, now time.Time) time.Time {
	again := now.Add(wakeEvery)
	state, err := l.Store.Read()
	if err != nil {
		state = State{} // the change below replaces a damaged file
	}
	var next []time.Time
	for _, job := range l.Jobs {
		p := job.pastAt(state[job.Name], now)
		if old := state[job.Name]; p.Key != old.Key || !p.Until.Equal(old.Until) {
			if _, err := l.Store.change(ctx, job.Name, func(p *Past) { *p = job.pastAt(*p, now) }); err != nil {
				l.trouble(err)
				return again
			}
		}
		if at := l.handle(ctx, job, p, now); !at.IsZero() {
			next = append(next, at)
		}
	}
	if len(next) == 0 {
		return again
	}
	return slices.MinFunc(next, time.Time.Compare)
}

// handle handles one job, and returns when it is due again.
func (l *Loop) handle(ctx context.Context, job Job, p Past, now time.Time) time.Time {
	verdict, at := job.Due(p, now)
	if verdict == Wait {
		return at
	}
	if err := l.start(ctx, job, verdict, at, now); err != nil {
		l.trouble(err)
		return now.Add(wakeEvery)
	}
	_, at = job.Due(Past{Until: now}, now)
	return at
}

// start runs a job or notes why it does not. It stores that this time is handled before the job
// starts, so that a job never starts twice for one time.
func (l *Loop) start(ctx context.Context, job Job, verdict Verdict, at, now time.Time) error {
	skip := func(reason string) error {
		return l.Store.Note(ctx, job.Name, Outcome{Started: now, Ended: now, Result: Skipped, Reason: reason})
	}
	if verdict == Miss {
		return skip("missed at " + at.In(job.Times.Zone()).Format("2006-01-02 15:04") + "; catch_up is off")
	}
	if l.running[job.Name] {
		return skip("the run before it was still active")
	}
	if _, err := l.Store.change(ctx, job.Name, func(p *Past) { p.Until = later(p.Until, now) }); err != nil {
		return err
	}
	l.running[job.Name] = true
	go func() {
		l.Run(ctx, job)
		l.ended <- job.Name
	}()
	return nil
}

// trouble reports an error, unless it is the same as the last one.
func (l *Loop) trouble(err error) {
	if what := err.Error(); what != l.reported {
		l.reported = what
		l.Trouble(err)
	}
}
