package supervise

import (
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
)

// TestWatchdog plays events to a watchdog, second by second of a simulated clock, and checks
// its orders.
func TestWatchdog(t *testing.T) {
	lim := Limits{Timeout: 100 * time.Second, Idle: 30 * time.Second, Tool: 60 * time.Second, Grace: 10 * time.Second}
	noTimeout := lim
	noTimeout.Timeout = 0
	type step struct {
		at   int
		do   func(w *watchdog)
		want order
		wake int // 0: not compared; -1: for ever
	}
	heard := func(at int, evs ...agent.Event) func(*watchdog) {
		return func(w *watchdog) {
			w.LastOutput = epoch().Add(time.Duration(at) * time.Second)
			for _, ev := range evs {
				w.event(ev)
			}
		}
	}
	for name, test := range map[string]struct {
		limits Limits
		steps  []step
		why    runfolder.Reason
	}{
		"busy, then silent": {lim, []step{
			{at: 0, want: orderWait, wake: 30},
			{at: 20, do: heard(20), want: orderWait, wake: 50},
			{at: 49, want: orderWait, wake: 50},
			{at: 50, want: orderAsk},
			{at: 50, want: orderWait, wake: 60},
			{at: 60, want: orderKill},
		}, runfolder.ReasonIdle},
		"a tool call may be silent longer": {lim, []step{
			{at: 1, do: heard(1, agent.Event{Kind: agent.ToolStarted, Call: "a"}), want: orderWait, wake: 61},
			{at: 40, want: orderWait},
			{at: 55, do: heard(55, agent.Event{Kind: agent.ToolEnded, Call: "a"}), want: orderWait, wake: 85},
			{at: 85, want: orderAsk},
		}, runfolder.ReasonIdle},
		"the whole run has a limit": {lim, []step{
			{at: 25, do: heard(25), want: orderWait},
			{at: 50, do: heard(50), want: orderWait},
			{at: 75, do: heard(75), want: orderWait, wake: 100},
			{at: 99, do: heard(99), want: orderWait, wake: 100},
			{at: 100, want: orderAsk},
		}, runfolder.ReasonTimeout},
		"no limits, no wake": {Limits{}, []step{{at: 1e6, want: orderWait, wake: -1}}, ""},
		"interrupted: grace, then killed": {noTimeout, []step{
			{at: 5, do: func(w *watchdog) { w.interrupt(runfolder.ReasonInterrupted) }, want: orderAsk},
			{at: 6, do: heard(6), want: orderWait, wake: 15},
			{at: 15, want: orderKill},
		}, runfolder.ReasonInterrupted},
		"a second signal cuts the grace short": {lim, []step{
			{at: 5, do: func(w *watchdog) { w.interrupt(runfolder.ReasonTerminated) }, want: orderAsk},
			{at: 6, do: func(w *watchdog) { w.hurry = true }, want: orderKill},
		}, runfolder.ReasonTerminated},
		"the first reason stands": {lim, []step{
			{at: 30, want: orderAsk},
			{at: 31, do: func(w *watchdog) { w.interrupt(runfolder.ReasonInterrupted) }, want: orderWait, wake: 40},
		}, runfolder.ReasonIdle},
		"hurry alone orders nothing": {lim, []step{
			{at: 1, do: func(w *watchdog) { w.hurry = true }, want: orderWait, wake: 30},
		}, ""},
		"no grace": {Limits{Idle: time.Second}, []step{{at: 1, want: orderAsk}, {at: 1, want: orderKill}}, runfolder.ReasonIdle},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewWatchdog(test.limits, epoch())
			for i, s := range test.steps {
				if s.do != nil {
					s.do(w)
				}
				got, wake := w.next(epoch().Add(time.Duration(s.at) * time.Second))
				if got != s.want {
					t.Fatalf("step %d: order %d, want %d", i, got, s.want)
				}
				want := epoch().Add(time.Duration(s.wake) * time.Second)
				if s.wake == -1 {
					want = time.Time{}
				}
				if s.wake != 0 && !wake.Equal(want) {
					t.Fatalf("step %d: wake at %v, want %v", i, wake, want)
				}
			}
			if w.why != test.why {
				t.Errorf("reason %q, want %q", w.why, test.why)
			}
		})
	}
}

func epoch() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }
