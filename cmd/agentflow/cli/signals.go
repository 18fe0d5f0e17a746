package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	apprun "agentflow/app/run"
)

// endWithin limits how long a command takes to end after a signal. Then it is
// cut short as by a crash, which every command survives.
const endWithin = 800 * time.Millisecond

// ObeySignals returns a context that the first interrupt or termination ends. If the
// command has not ended soon after that, because it waits for a file or for an
// answer, or after a second signal, obeySignals gives up and passes the command's error to end.
func ObeySignals(ctx context.Context, c *Env, end func(error)) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	signals, over := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	c.Endless = new(atomic.Bool)
	c.StopSignals = sync.OnceFunc(func() {
		signal.Stop(signals)
		close(over)
	})
	go func() {
		for ctx.Err() == nil {
			select {
			case sig := <-signals:
				if sig != os.Interrupt || !c.Pager.Load().On() { // else it is for the pager
					cancel(apprun.Interrupt{Signal: sig})
				}
			case <-over:
				return
			}
		}
		select {
		case <-signals:
		case <-time.After(endWithin):
		case <-over:
			return
		}
		if c.Endless.Load() {
			end(nil)
		}
		end(Interruption(context.Cause(ctx)))
	}()
	return ctx
}

// Interruption returns the error of a command that a signal ended, or nil for any
// other cause.
func Interruption(cause error) error {
	var in apprun.Interrupt
	switch {
	case !errors.As(cause, &in):
		return nil
	case in.Signal == os.Interrupt:
		return errInterrupted
	}
	return errTerminated
}

// SurviveClosedPipes makes writing to a closed pipe, as with
// "agentflow run … | head", an error of that write instead of the end of agentflow. The
// agent continues, and its run is recorded. The agent itself starts with the
// signal's usual handling.
func SurviveClosedPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// Interruptible returns a context for the work of agents. After begin, the first
// signal cancels it, which asks the agents to end. A second
// one closes hurry, which ends every grace period. A third one ends agentflow as a crash
// would, and the next command recovers from that. done is called when there is nothing
// left to interrupt.
func (c *Env) Interruptible(ctx context.Context, what string) (_ context.Context, hurry <-chan struct{}, begin, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	hurrying, over := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 4)
	obey := func() {
		for asked := 0; ; asked++ {
			select {
			case sig := <-signals:
				switch asked {
				case 0:
					c.Say("ending %s; once more to hurry", what)
					cancel(apprun.Interrupt{Signal: sig})
				case 1:
					close(hurrying)
				default:
					os.Exit(ExitInterrupted)
				}
			case <-over:
				return
			}
		}
	}
	begin = func() {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		c.StopSignals()
		go obey()
	}
	return ctx, hurrying, begin, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(over)
		cancel(nil)
	})
}
