package app

import (
	"context"
	"errors"
	"os"
	"time"

	"agentflow/internal/proc"
)

// A job that is to end is asked, and has jobPatience to end what it started
// and to record it, or jobGrace after a second interrupt. runSpare is how
// much longer than its own time-out a run is waited for.
const (
	jobPatience = time.Minute
	jobGrace    = 5 * time.Second
	runSpare    = 2 * time.Minute
)

// supervise starts the process of a job and waits for its end, which comes
// with that of ctx, or after timeout; 0 is never. A run ends itself in time.
func (r *jobRunner) supervise(ctx context.Context, spec proc.Spec, timeout time.Duration, isRun bool) (jobEnd, error) {
	p, err := proc.Start(spec)
	if err != nil {
		return jobEnd{}, err
	}
	limit, cancel := ctx, func() {}
	if timeout > 0 {
		if isRun {
			timeout += runSpare
		}
		limit, cancel = context.WithTimeoutCause(ctx, timeout, errJobTimeout)
	}
	defer cancel()
	exit, err := p.Wait(limit)
	over := context.Cause(limit)
	if limit.Err() == nil || err == nil {
		p.End(context.WithoutCancel(ctx))
		return jobEnd{exit: exit}, nil
	}
	exit = r.ask(context.WithoutCancel(ctx), p)
	return jobEnd{exit: exit, timedOut: errors.Is(over, errJobTimeout), interrupted: true}, nil
}

// ask asks a process to end, waits, and ends all that is left of it.
func (r *jobRunner) ask(ctx context.Context, p *proc.Process) proc.Exit {
	_ = p.Signal(os.Interrupt) // it may have ended by now
	patient, enough := context.WithTimeout(ctx, jobPatience)
	defer enough()
	go func() {
		select {
		case <-r.hurry:
			_ = p.Signal(os.Interrupt)
			time.AfterFunc(jobGrace, enough)
		case <-patient.Done():
		}
	}()
	exit, err := p.Wait(patient)
	p.End(ctx)
	if patient.Err() != nil && err != nil {
		exit, _ = p.Wait(ctx)
	}
	return exit
}
