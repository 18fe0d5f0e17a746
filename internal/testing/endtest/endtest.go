// Package endtest is for tests of operations that must end: with a text so
// long, or a file so large, that an algorithm of the wrong complexity would
// take hours. It does not measure speed, which differs between machines;
// benchmarks do.
package endtest

import (
	"testing"
	"time"
)

// deadline is many times what the operation takes, even on a busy machine.
const deadline = time.Minute

// Soon runs work and fails the test if it has not ended by the deadline. It
// leaves such work running. Work runs in a separate goroutine, so it may call
// t.Error, but not t.Fatal.
func Soon(t testing.TB, what string, work func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		work()
	}()
	select {
	case <-over:
	case <-time.After(deadline):
		t.Fatalf("%s: no end after %v", what, deadline)
	}
}
