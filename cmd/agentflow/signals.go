package main

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

// watched runs the executor with signals and progress attached. The first
// signal asks the agent to end, a second one ends every grace period.
func (s *site) watched(deps executor.Deps, req executor.Request, o runOptions) (executor.Record, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	hurry := make(chan struct{})
	deps.Hurry = hurry
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	s.releaseSignals()
	defer signal.Stop(signals)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for asked := 0; ; asked++ {
			select {
			case sig := <-signals:
				switch asked {
				case 0:
					s.say("ending the run; once more to hurry")
					cancel(executor.Interrupt{Signal: sig})
				case 1:
					close(hurry)
				}
			case <-over:
				return
			}
		}
	}()
	stop := s.follow(&deps, req, o)
	defer stop()
	return executor.Run(ctx, deps, req)
}
