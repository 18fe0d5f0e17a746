package upkeep

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestCompleter checks when an embedder is called, and which events are reported.
func TestCompleter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		var told []string
		var err error
		var mu sync.Mutex // guards at, told and err
		tell := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, what)
		}
		work := func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(start))
			return err
		}
		c := NewCompleter(work, func(err error) { tell(err.Error()) }, func() { tell("works") })
		ctx, end := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { c.Run(ctx); close(done) }()
		step := func(wakes int, pass time.Duration, wantAt int, wantTold string) {
			t.Helper()
			for range wakes {
				c.wake()
			}
			time.Sleep(pass) // on the bubble's clock
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(at) != wantAt || strings.Join(told, " ") != wantTold {
				t.Errorf("asked at %v, told %q", at, told)
			}
		}
		step(0, time.Hour, 0, "")
		step(1, 0, 1, "")
		will := func(e error) { mu.Lock(); err = e; mu.Unlock() }
		will(errors.New("down"))
		step(1, 0, 2, "down")
		step(5, 500*time.Millisecond, 2, "down") // wakes do not shorten the wait
		step(0, 500*time.Millisecond, 3, "down")
		step(0, 2*time.Second, 4, "down")
		step(0, time.Hour, 4+4+59, "down") // after 4, 8, 16, 32 and then every 60 s
		will(nil)
		step(0, time.Hour, 4+4+59+2, "down works") // the wakes during the failures are not forgotten
		end()
		<-done
	})
}
