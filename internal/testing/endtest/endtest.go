// Package endtest is for tests of work that has to end: with a text so long,
// or a file so large, that work of the wrong kind would not end today. It says
// nothing of speed, which machines differ in; benchmarks do.
package endtest

import (
	"testing"
	"time"
)

// deadline is many times what the work takes, however busy the machine.
const deadline = time.Minute

// Soon runs work and fails the test if it has not ended by the deadline. Work
// that fails it is left running. Work runs in a goroutine of its own: it may
// call t.Error, but not t.Fatal.
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
