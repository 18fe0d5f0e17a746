package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"agentflow/executor"
)

// surviveClosedPipes makes writing to a reader that went away, as with
// "agentflow run … | head", an error of that write instead of our end: the
// agent goes on, and its run is recorded. The agent itself starts with the
// signal as it was.
func surviveClosedPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// watched runs the executor with progress attached, and learns of the run.
func (s *site) watched(ctx context.Context, deps executor.Deps, req executor.Request, o runOptions) (executor.Record, error) {
	stop := s.follow(&deps, req, o)
	rec, err := executor.Run(ctx, deps, req)
	stop()
	if err == nil {
		s.degraded("extract", s.extractAfter(ctx, &rec))
	}
	return rec, err
}

// interruptible is the context of what agents do, with the values of ctx and
// an end of its own: the first signal ends it, which asks them to end, and a
// second one closes hurry, which ends every grace period. A third one ends us as
// a crash would, which the next command recovers from. done is called when nothing
// is left to interrupt.
func (s *site) interruptible(ctx context.Context, what string) (_ context.Context, hurry <-chan struct{}, done func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	hurrying, over := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	s.stopSignals()
	go func() {
		for asked := 0; ; asked++ {
			select {
			case sig := <-signals:
				switch asked {
				case 0:
					s.say("ending %s; once more to hurry", what)
					cancel(executor.Interrupt{Signal: sig})
				case 1:
					close(hurrying)
				default:
					os.Exit(exitInterrupted)
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, hurrying, func() {
		signal.Stop(signals)
		close(over)
		cancel(nil)
	}
}
