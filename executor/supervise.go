package executor

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"agentflow/executor/agent"

	"agentflow/internal/proc"
)

// supervisor runs one process under a watchdog.
type supervisor struct {
	mu    sync.Mutex
	dog   *watchdog
	hurry <-chan struct{}
	// tick is called between events; it returns when it wants to be called
	// again, or the zero time.
	tick func(now time.Time) time.Time
}

// ended is how a supervised process came to its end.
type ended struct {
	exit   proc.Exit
	why    reason // empty: by itself
	limit  time.Duration
	others []proc.Ended
	output error // output that was not taken
}

// heard notes a sign of life and what it said.
func (s *supervisor) heard(events []agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dog.heard = time.Now()
	for _, ev := range events {
		s.dog.event(ev)
	}
}

func (s *supervisor) next(now time.Time) (order, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dog.next(now)
}

// run starts the process and returns when it and all that came of it are
// gone. The error says why it could not be started. When ctx is cancelled
// the signal is passed on.
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
	killed := s.watch(ctx, p, done)
	// Whatever way it ended, nothing of it stays.
	stop, cancel := s.endContext(ctx, killed)
	others := p.End(stop)
	cancel()
	<-done
	out.others = others
	s.mu.Lock()
	out.why, out.limit = s.dog.why, s.dog.limit
	s.mu.Unlock()
	return out, nil
}

// watch does what the watchdog orders until the process has ended, or is to
// be killed.
func (s *supervisor) watch(ctx context.Context, p *proc.Process, done <-chan struct{}) (kill bool) {
	interrupted, hurry := ctx.Done(), s.hurry
	for {
		now := time.Now()
		what, wake := s.next(now)
		switch what {
		case orderKill:
			return true
		case orderAsk:
			if p.Signal(s.signal(ctx)) != nil {
				return true
			}
			continue
		}
		if again := s.tick(now); !again.IsZero() && (wake.IsZero() || again.Before(wake)) {
			wake = again
		}
		alarm, stop := alarmAt(wake, now)
		select {
		case <-done:
			stop()
			return false
		case <-interrupted:
			interrupted = nil
			s.interrupt(reasonOf(ctx))
		case <-hurry:
			hurry = nil
			s.cutShort()
		case <-alarm:
		}
		stop()
	}
}

func (s *supervisor) interrupt(why reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dog.interrupt(why)
}

func (s *supervisor) cutShort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dog.hurry = true
}

// signal is what the agent is asked to end with: the signal we got, or the
// polite one.
func (s *supervisor) signal(ctx context.Context) os.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dog.why == reasonInterrupted || s.dog.why == reasonTerminated {
		return signalOf(ctx)
	}
	return syscall.SIGTERM
}

// endContext bounds how long what is left may take to end by itself.
func (s *supervisor) endContext(ctx context.Context, kill bool) (context.Context, context.CancelFunc) {
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if kill {
		cancel()
		return stop, cancel
	}
	go func() {
		select {
		case <-s.hurry:
			cancel()
		case <-stop.Done():
		}
	}()
	return stop, cancel
}

func alarmAt(at, now time.Time) (<-chan time.Time, func()) {
	if at.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(at.Sub(now))
	return timer.C, func() { timer.Stop() }
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
