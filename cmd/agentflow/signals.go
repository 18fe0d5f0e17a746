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
