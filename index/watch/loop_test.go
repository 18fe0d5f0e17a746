package watch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bench runs a loop in fake time and notes when calls begin.
type bench struct {
	start  time.Time
	wakes  chan struct{}
	calls  []time.Duration // since start
	said   []string
	takes  time.Duration // how long a call takes
	inside int
	t      *testing.T

	mu  sync.Mutex
	err error // what a call returns
}

func (b *bench) fails(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *bench) changed(context.Context) error {
	if b.inside++; b.inside > 1 {
		b.t.Error("two calls at once")
	}
	defer func() { b.inside-- }()
	b.calls = append(b.calls, time.Since(b.start))
	time.Sleep(b.takes)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// inFakeTime runs script concurrently with a loop that uses the default times.
func inFakeTime(t *testing.T, b *bench, script func()) {
	synctest.Test(t, func(t *testing.T) {
		b.t, b.start, b.wakes = t, time.Now(), make(chan struct{})
		o := Options{Notice: func(what string) { b.said = append(b.said, what) }}.withDefaults()
		l := loop{wakes: b.wakes, changed: b.changed, due: debounce{quiet: o.Debounce, most: o.MaxWait}, errors: complaints{notice: o.Notice}}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			l.run(ctx)
			close(over)
		}()
		script()
		synctest.Wait()
		cancel()
		<-over
		if b.inside != 0 {
			t.Error("the loop ended before its call")
		}
	})
}

// after sends a wake this long after the last step.
func (b *bench) after(d time.Duration) {
	time.Sleep(d)
	b.wakes <- struct{}{}
}

func (b *bench) want(t *testing.T, ms ...int) {
	t.Helper()
	var want []time.Duration
	for _, n := range ms {
		want = append(want, time.Duration(n)*time.Millisecond)
	}
	if !slices.Equal(b.calls, want) {
		t.Errorf("calls at %v, want %v", b.calls, want)
	}
}

const ms = time.Millisecond

func TestABurstIsOneCall(t *testing.T) {
	b := &bench{}
	inFakeTime(t, b, func() {
		time.Sleep(time.Second)
		for range 100 {
			b.after(ms)
		}
		time.Sleep(time.Hour)
	})
	b.want(t, 0, 1400)
}

func TestConstantWriting(t *testing.T) {
	b := &bench{}
	inFakeTime(t, b, func() {
		for range 90 {
			b.after(70 * ms)
		}
		time.Sleep(time.Hour)
	})
	b.want(t, 0, 2070, 4100, 6130, 6600)
}

// TestEventsDuringACall lead to one more call, when the first has ended.
func TestEventsDuringACall(t *testing.T) {
	b := &bench{takes: time.Second}
	inFakeTime(t, b, func() {
		b.after(100 * ms)
		b.after(100 * ms)
		time.Sleep(time.Hour)
	})
	b.want(t, 0, 1000)
}

func TestErrorsAreTriedAgainAndToldOnce(t *testing.T) {
	b := &bench{err: errors.New("no")}
	inFakeTime(t, b, func() {
		time.Sleep(8 * time.Second) // calls at 0, 1, 3 and 7 s
		b.fails(errors.New("never"))
		time.Sleep(8 * time.Second) // at 15 s
		b.fails(nil)
		time.Sleep(time.Hour) // at 31 s
		b.fails(errors.New("no"))
		b.after(0)
		time.Sleep(500 * ms)
	})
	want := []int{0, 1000, 3000, 7000, 15000, 31000}
	b.want(t, append(want, int((time.Hour+16*time.Second+300*ms)/ms))...)
	if want := []string{"no", "never", "recovered", "no"}; !slices.Equal(b.said, want) {
		t.Errorf("said %q, want %q", b.said, want)
	}
}

// TestErrorsWithOtherWordsEachTime do not fill memory or the terminal.
func TestErrorsWithOtherWordsEachTime(t *testing.T) {
	var said []string
	c := complaints{notice: func(what string) { said = append(said, what) }}
	for i := range 1000 {
		c.failed(time.Duration(i).String())
	}
	c.worked()
	if len(said) != mostComplaints+1 || said[mostComplaints] != "recovered" {
		t.Errorf("said %d things: %q", len(said), said)
	}
}

// TestStopWaitsForTheCall checks that the context interrupts a call, and that
// the error it then returns is no failure.
func TestStopWaitsForTheCall(t *testing.T) {
	b := &bench{takes: time.Minute, err: errors.New("cut short")}
	inFakeTime(t, b, func() {})
	b.want(t, 0)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	l := loop{errors: complaints{notice: func(what string) { b.said = append(b.said, what) }}}
	l.note(over, errors.New("cut short"))
	if _, due := l.due.due(); due || len(b.said) > 0 {
		t.Errorf("said %q", b.said)
	}
}
