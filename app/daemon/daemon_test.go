package daemon_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/daemon"
	"agentflow/app/setup"
	"agentflow/executor"
	"agentflow/internal/schedule"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
)

// clock is a clock that the test sets.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
	set    int // timers so far
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(long time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set++
	timer := make(chan time.Time, 1)
	c.timers[timer] = c.now.Add(long)
	return timer
}

func (c *clock) pass(long time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(long)
	for timer, at := range c.timers {
		if !at.After(c.now) {
			timer <- c.now
			delete(c.timers, timer)
		}
	}
}

// house is a lab with the jobs of a daemon. The jobs are real processes, and the test sets the
// clock.
type house struct {
	*apptest.Place
	clock  *clock
	daemon *daemon.DaemonForTest
	said   *labtest.Lines
	stop   context.CancelFunc
	hurry  chan struct{}
	over   chan struct{}

	mu    sync.Mutex
	busy  map[string]bool // running jobs
	wakes int             // wakes of the loop; each sets a timer
}

// job runs a job for the loop.
func (h *house) job(ctx context.Context, job schedule.Job) {
	note := func(runs bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.busy[job.Name] = runs; !runs {
			h.wakes++
		}
	}
	note(true)
	defer note(false)
	h.daemon.Job(ctx, job)
}

func (h *house) woke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakes++
}

// newHouse starts the jobs of settings at noon.
func newHouse(t *testing.T, script, settings string) *house {
	t.Helper()
	h := &house{Place: &apptest.Place{Lab: labtest.New(t, script)}, said: &labtest.Lines{}, hurry: make(chan struct{}), over: make(chan struct{}), busy: map[string]bool{},
		clock: &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), timers: map[chan time.Time]time.Time{}}}
	h.Env = append(h.Env, "USER=tester", "USERNAME=tester")
	h.Settings(settings)
	m := h.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	a := m.Begin(app.Listen(t.Context(), func(e app.Event) { fmt.Fprintf(h.said, "%s: %s\n", e.Kind, e.Text) }))
	s, err := a.OpenExisting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	watching, err := daemon.LockWatch(t.Context(), s, "daemon")
	if err != nil {
		t.Fatal(err)
	}
	if h.daemon, err = daemon.NewDaemon(t.Context(), s, watching, daemon.Request{Program: filepath.Join(h.Bin, "agentflow"), Hurry: h.hurry}); err != nil {
		t.Fatal(err)
	}
	h.daemon.Loop.Run = h.job
	h.daemon.Runner.Now, h.daemon.Loop.Now, h.daemon.Loop.After = h.clock.Now, h.clock.Now, h.clock.After
	h.start()
	t.Cleanup(func() {
		h.end()
		if err := watching.Lock.Release(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) start() {
	ctx, stop := context.WithCancel(context.WithoutCancel(h.T.(*testing.T).Context()))
	h.stop, h.over = stop, make(chan struct{})
	h.woke()
	go func() {
		defer close(h.over)
		h.daemon.Loop.Until(ctx)
	}()
	h.idle()
}

func (h *house) end() {
	h.stop()
	<-h.over
}

// idle waits until the loop sleeps again after all wakes.
func (h *house) idle() {
	h.T.Helper()
	labtest.Await(h.T, "the loop to sleep", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.clock.mu.Lock()
		defer h.clock.mu.Unlock()
		return h.clock.set >= h.wakes
	})
}

// pass moves the clock forward while the loop sleeps.
func (h *house) pass(long time.Duration) {
	h.T.Helper()
	h.idle()
	h.woke()
	h.clock.pass(long)
}

// ended waits until a job has so many outcomes, and returns them.
func (h *house) ended(name string, n int) []schedule.Outcome {
	h.T.Helper()
	var history []schedule.Outcome
	labtest.Await(h.T, "the end of "+name, func() bool {
		state, err := h.daemon.Runner.Store.Read()
		if err != nil {
			h.T.Fatal(err)
		}
		history = state[name].History
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(history) >= n && !h.busy[name]
	})
	return history
}

// brief returns a list of outcomes in short form.
func brief(history []schedule.Outcome) string {
	var out []string
	for _, o := range history {
		out = append(out, o.Started.Format("02 15:04")+" "+daemon.JobOutcome(schedule.Outcome{Result: o.Result, ExitCode: -1, CostUSD: o.CostUSD, Reason: o.Reason}).String())
	}
	return strings.Join(out, "\n")
}

const dearTask = `
[[schedule]]
name = "dear"
cron = "0 */6 * * *"
zone = "UTC"
task = "Spend"
max_cost = 0.6
max_cost_day = 1
`

// A task's run is recorded like any other, and its cost counts for its day.
func TestDaemonHoldsWhatADayMayCost(t *testing.T) {
	h := newHouse(t, "cost 0.4\nsay Spent.\n", dearTask)
	for n := range 6 {
		h.pass(6 * time.Hour)
		h.ended("dear", n+1)
	}
	want := `21 18:00 ok, $0.40
22 00:00 ok, $0.40
22 06:00 ok, $0.40
22 12:00 ok, $0.40
22 18:00 skipped: the $1.00 of 2026-11-22 are spent: $1.20
23 00:00 ok, $0.40`
	if got := brief(h.ended("dear", 6)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	runs := h.Runs()
	if len(runs) != 5 || runs[0].ID != h.ended("dear", 6)[5].Run || runs[0].Task != "Spend" {
		t.Errorf("%d runs, the last %+v", len(runs), runs[0])
	}
}

// A job that crashes ends neither the daemon nor the next run. Its cost is unknown, so its full
// limit counts.
func TestDaemonOutlivesItsJobs(t *testing.T) {
	h := newHouse(t, "sh [ -e ../crashed ] || { touch ../crashed; kill -9 $(ps -o ppid= -p $PPID); }\ncost 0.1\nsay Well.\n", dearTask)
	h.pass(6 * time.Hour)
	h.ended("dear", 1)
	h.pass(6 * time.Hour)
	history := h.ended("dear", 2)
	if first := history[0]; first.Result != schedule.Failed || first.ExitCode != 137 || first.CostUSD != 0.6 {
		t.Errorf("%+v", first)
	}
	if second := history[1]; second.Result != schedule.OK || second.CostUSD != 0.1 {
		t.Errorf("%+v\n%s", second, h.said)
	}
	if said := h.said.String(); !strings.Contains(said, "warning: dear: failed") {
		t.Error(said)
	}
}

// When the daemon ends it interrupts its jobs, which record that.
func TestDaemonInterruptsItsJobs(t *testing.T) {
	h := newHouse(t, "touch ../begun\nsilent\n", dearTask)
	h.pass(6 * time.Hour)
	h.AwaitFile("../begun")
	h.end()
	history := h.ended("dear", 1)
	if history[0].Result != schedule.Interrupted || history[0].Run == "" {
		t.Errorf("%+v\n%s", history[0], h.said)
	}
	if runs := h.Runs(); len(runs) != 1 || runs[0].Outcome != "interrupted" {
		t.Errorf("%+v", runs)
	}
}

// A second interrupt stops a job faster.
func TestDaemonHurries(t *testing.T) {
	h := newHouse(t, "touch ../begun\ndeaf\nsilent\n", dearTask)
	h.pass(6 * time.Hour)
	h.AwaitFile("../begun")
	h.stop()
	close(h.hurry)
	start := time.Now()
	<-h.over
	if long := time.Since(start); long >= executor.DefaultGrace {
		t.Errorf("it took %v", long)
	}
	if history := h.ended("dear", 1); history[0].Result != schedule.Interrupted {
		t.Errorf("%+v", history[0])
	}
}

// A task has a time-out, and the run itself reports it.
func TestDaemonTimesOut(t *testing.T) {
	h := newHouse(t, "silent\n", dearTask+"timeout = \"1s\"\n")
	h.pass(6 * time.Hour)
	history := h.ended("dear", 1)
	if history[0].Result != schedule.TimedOut || history[0].ExitCode != daemon.CodeTimedOut {
		t.Errorf("%+v", history[0])
	}
}

// Tasks share a work tree, so they run one after the other. A job that is not a task runs at the
// same time.
func TestTasksComeOneAfterTheOther(t *testing.T) {
	h := newHouse(t, "task First.\ntouch ../first\nwait ../go\nsay One.\n\ntask Second.\nsh test -e ../go && touch ../after\nsay Two.\n", `
[[schedule]]
name = "first"
cron = "0 18 * * *"
zone = "UTC"
task = "First."
[[schedule]]
name = "second"
cron = "1 18 * * *"
zone = "UTC"
task = "Second."
[[schedule]]
name = "beside"
cron = "2 18 * * *"
zone = "UTC"
job = "index"
`)
	h.pass(6 * time.Hour)
	h.AwaitFile("../first")
	h.pass(time.Minute)
	h.pass(time.Minute)
	if beside := h.ended("beside", 1); beside[0].Result != schedule.OK {
		t.Errorf("%+v\n%s", beside[0], h.said)
	}
	if begun, err := h.daemon.Runner.Store.Running("second"); begun || err != nil {
		t.Errorf("the second task begins beside the first (%v)", err)
	}
	h.Write("../go", "")
	if h.ended("first", 1)[0].Result != schedule.OK || h.ended("second", 1)[0].Result != schedule.OK {
		t.Errorf("%s", h.said)
	}
	if !h.Exists("../after") {
		t.Error("the second task went on beside the first")
	}
}
