package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"agentflow/executor"
)

// endWithin is how long a command may take to end after a signal. What it does
// then is cut short as by a crash, which every command bears.
const endWithin = 800 * time.Millisecond

// obeySignals is a context that the first interrupt or termination ends. A
// command that has not ended soon after it, as it waits for a file or for
// somebody to answer, or a second signal, gives up: its error is passed to end.
func (c *cli) obeySignals(ctx context.Context, end func(error)) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	signals, over := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	c.endless = new(atomic.Bool)
	c.stopSignals = sync.OnceFunc(func() {
		signal.Stop(signals)
		close(over)
	})
	go func() {
		select {
		case sig := <-signals:
			cancel(executor.Interrupt{Signal: sig})
		case <-over:
			return
		}
		select {
		case <-signals:
		case <-time.After(endWithin):
		case <-over:
			return
		}
		if c.endless.Load() {
			end(nil)
		}
		end(interruption(ctx))
	}()
	return ctx
}

// interruption is the error of a command whose context a signal ended; nil of
// any other.
func interruption(ctx context.Context) error {
	var in executor.Interrupt
	switch {
	case !errors.As(context.Cause(ctx), &in):
		return nil
	case in.Signal == os.Interrupt:
		return errInterrupted
	}
	return errTerminated
}

// interruptible is the context of agents and jobs, with the values of ctx and
// an end of its own: the first signal ends it, which asks them to end, and a
// second one closes hurry, which ends every grace period. A third one ends this
// process as a crash would, which the next command recovers from. done is
// called when nothing is left to interrupt.
func (c *cli) interruptible(ctx context.Context, what string) (_ context.Context, hurry <-chan struct{}, done func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	hurrying, over := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	c.stopSignals()
	go func() {
		for count := 0; ; count++ {
			select {
			case sig := <-signals:
				switch count {
				case 0:
					c.say("ending %s; once more to hurry", what)
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
