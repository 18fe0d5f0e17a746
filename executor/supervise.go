package executor

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/proc"
)

// supervisor runs one process under a watchdog.
type supervisor struct {
	mu    sync.Mutex // guards dog
	dog   *watchdog
	hurry <-chan struct{}
	// tick is called between events. It returns when to call it again, or the zero time for
	// never.
	tick func(now time.Time) time.Time
}

// ended describes the end of a supervised process.
type ended struct {
	exit   proc.Exit
	why    reason // empty: it ended by itself
	limit  time.Duration
	others []proc.Ended
	output error // why output could not be read
}

func (s *supervisor) withDog(do func(*watchdog)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.dog)
}

// noteOutput resets the idle timeout, and passes the events to the watchdog. Output that only
// reports another attempt to reach an API does not reset the timeout: some agents retry
// forever.
func (s *supervisor) noteOutput(events []agent.Event) {
	s.withDog(func(dog *watchdog) {
		if len(events) == 0 || slices.ContainsFunc(events, func(ev agent.Event) bool { return ev.Kind != agent.Retry }) {
			dog.lastOutput = time.Now()
		}
		for _, ev := range events {
			dog.event(ev)
		}
	})
}

// run starts the process and returns when it and its descendants have ended. The error says why
// it could not be started. When ctx is cancelled, run sends the process the signal of the
// cancellation.
func (s *supervisor) run(ctx context.Context, spec proc.Spec) (ended, error) {
	p, err := proc.Start(spec)
	if err != nil {
		return ended{}, err
	}
	var out ended
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.exit, out.output = p.Wait(context.WithoutCancel(ctx))
	}()
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if s.watch(ctx, p, done) {
		cancel()
	}
	go func() { // the second Ctrl-C also works while the remaining processes are being ended
		select {
		case <-s.hurry:
			cancel()
		case <-stop.Done():
		}
	}()
	out.others = p.End(stop) // no process may stay, however the first one ended
	<-done
	s.withDog(func(dog *watchdog) { out.why, out.limit = dog.why, dog.limit })
	return out, nil
}

// watch follows the watchdog's orders until the process has ended. It returns true if the
// process has to be killed.
func (s *supervisor) watch(ctx context.Context, p *proc.Process, done <-chan struct{}) (kill bool) {
	interrupted, hurry := ctx.Done(), s.hurry
	for {
		now := time.Now()
		var what order
		var wake time.Time
		var sig os.Signal = syscall.SIGTERM
		s.withDog(func(dog *watchdog) {
			what, wake = dog.next(now)
			if dog.why == reasonInterrupted || dog.why == reasonTerminated {
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
		if again := s.tick(now); !again.IsZero() && (wake.IsZero() || again.Before(wake)) {
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
			s.withDog(func(dog *watchdog) { dog.interrupt(reasonOf(ctx)) })
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

func reasonOf(ctx context.Context) reason {
	if signalOf(ctx) == os.Interrupt {
		return reasonInterrupted
	}
	return reasonTerminated
}
