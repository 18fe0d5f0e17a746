// Package supervise runs an agent's process, and ends it at a time limit or an interrupt.
package supervise

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/internal/proc"
)

// Supervisor runs one process under a watchdog.
type Supervisor struct {
	mu    sync.Mutex // guards dog
	Dog   *watchdog
	Hurry <-chan struct{}
	// tick is called between events. It returns when to call it again, or the zero time for
	// never.
	Tick func(now time.Time) time.Time
}

// Ended describes the end of a supervised process.
type Ended struct {
	Exit   proc.Exit
	Why    runfolder.Reason // empty: it ended by itself
	Limit  time.Duration
	Others []proc.Ended
	Output error // why output could not be read
}

func (s *Supervisor) withDog(do func(*watchdog)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.Dog)
}

// NoteOutput resets the idle timeout, and passes the events to the watchdog. Output that only
// reports another attempt to reach an API does not reset the timeout: some agents retry
// forever.
func (s *Supervisor) NoteOutput(events []agent.Event) {
	s.withDog(func(dog *watchdog) {
		if len(events) == 0 || slices.ContainsFunc(events, func(ev agent.Event) bool { return ev.Kind != agent.Retry }) {
			dog.LastOutput = time.Now()
		}
		for _, ev := range events {
			dog.event(ev)
		}
	})
}

// Run starts the process and returns when it and its descendants have ended. The error says why
// it could not be started. When ctx is cancelled, run sends the process the signal of the
// cancellation.
func (s *Supervisor) Run(ctx context.Context, spec proc.Spec) (Ended, error) {
	p, err := proc.Start(spec)
	if err != nil {
		return Ended{}, err
	}
	var out Ended
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.Exit, out.Output = p.Wait(context.WithoutCancel(ctx))
	}()
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if s.watch(ctx, p, done) {
		cancel()
	}
	go func() { // the second Ctrl-C also works while the remaining processes are being ended
		select {
		case <-s.Hurry:
			cancel()
		case <-stop.Done():
		}
	}()
	out.Others = p.End(stop) // no process may stay, however the first one ended
	<-done
	s.withDog(func(dog *watchdog) { out.Why, out.Limit = dog.why, dog.limit })
	return out, nil
}

// watch follows the watchdog's orders until the process has ended. It returns true if the
// process has to be killed.
func (s *Supervisor) watch(ctx context.Context, p *proc.Process, done <-chan struct{}) (kill bool) {
	interrupted, hurry := ctx.Done(), s.Hurry
	for {
		now := time.Now()
		var what order
		var wake time.Time
		var sig os.Signal = syscall.SIGTERM
		s.withDog(func(dog *watchdog) {
			what, wake = dog.next(now)
			if dog.why == runfolder.ReasonInterrupted || dog.why == runfolder.ReasonTerminated {
				sig = signalOf(ctx) // the signal that we got
			}
		})
		switch what {
		case orderKill:
			return true
		case orderAsk:
			if p.Signal(sig) != nil {
				return true
			}
			continue
		}
		if again := s.Tick(now); !again.IsZero() && (wake.IsZero() || again.Before(wake)) {
			wake = again
		}
		var alarm <-chan time.Time
		if !wake.IsZero() {
			alarm = time.After(wake.Sub(now))
		}
		select {
		case <-done:
			return false
		case <-interrupted:
			interrupted = nil
			s.withDog(func(dog *watchdog) { dog.interrupt(ReasonOf(ctx)) })
		case <-hurry:
			hurry = nil
			s.withDog(func(dog *watchdog) { dog.hurry = true })
		case <-alarm:
		}
	}
}

func signalOf(ctx context.Context) os.Signal {
	var in Interrupt
	if errors.As(context.Cause(ctx), &in) && in.Signal != nil {
		return in.Signal
	}
	return os.Interrupt
}

// ReasonOf returns why ctx was cancelled.
func ReasonOf(ctx context.Context) runfolder.Reason {
	if signalOf(ctx) == os.Interrupt {
		return runfolder.ReasonInterrupted
	}
	return runfolder.ReasonTerminated
}
