package schedule

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// desk runs a loop in a bubble of simulated time. Sleep simulates a suspended computer: its
// clock advances, its timers do not.
type desk struct {
	loop    *Loop
	mu      sync.Mutex
	ahead   time.Duration
	starts  []string
	work    time.Duration // that a job takes
	trouble []string
	stop    func()
}

func newDesk(t *testing.T, jobs ...Job) *desk {
	d := &desk{}
	d.loop = &Loop{Jobs: jobs, Store: Store{Dir: t.TempDir(), Notice: d.complain},
		Now: d.now, Trouble: func(err error) { d.complain(err.Error()) }, Run: d.run}
	return d
}

func (d *desk) complain(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = append(d.trouble, what)
}

func (d *desk) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Add(d.ahead)
}

func (d *desk) sleep(long time.Duration) {
	d.mu.Lock()
	d.ahead += long
	d.mu.Unlock()
}

func (d *desk) run(ctx context.Context, j Job) {
	started := d.now()
	b, err := d.loop.Store.Claim(context.WithoutCancel(ctx), j.Name, started)
	if err != nil {
		panic(err)
	}
	d.mu.Lock()
	d.starts = append(d.starts, started.In(j.Times.Zone()).Format("01-02 15:04"))
	d.mu.Unlock()
	result := OK
	select {
	case <-time.After(d.work):
	case <-ctx.Done():
		result = Interrupted
	}
	if err := b.End(context.WithoutCancel(ctx), Outcome{Started: started, Ended: d.now(), Result: result}); err != nil {
		panic(err)
	}
}

// begin starts the loop at a time.
func (d *desk) begin(t *testing.T, when string) {
	d.sleep(at(t, when).Sub(d.now()))
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.loop.Until(ctx)
	}()
	d.stop = func() {
		cancel()
		<-over
	}
	synctest.Wait()
}

// pass lets time pass.
func pass(long time.Duration) {
	time.Sleep(long)
	synctest.Wait()
}

func (d *desk) started() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.starts, ", ")
}

func (d *desk) history(t *testing.T, name string) string {
	t.Helper()
	state, err := d.loop.Store.Read()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range state[name].History {
		out = append(out, strings.TrimSpace(string(o.Result)+" "+o.Reason))
	}
	return strings.Join(out, "; ")
}

func TestLoopRunsWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "0,30 * * * *", "UTC"))
		d.begin(t, "2026-11-21 12:10")
		pass(85 * time.Minute)
		d.stop()
		if got := d.started(); got != "11-21 12:30, 11-21 13:00, 11-21 13:30" || len(d.trouble) > 0 {
			t.Errorf("%s, trouble %v", got, d.trouble)
		}
	})
}

func TestLoopCatchesUpOnceAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "0 * * * *", "UTC"))
		d.begin(t, "2026-11-21 12:10")
		d.sleep(3*time.Hour + 5*time.Minute) // over 13:00, 14:00 and 15:00
		pass(90 * time.Minute)
		d.stop()
		if got := d.started(); got != "11-21 15:16, 11-21 16:00" {
			t.Error(got)
		}
	})
}

// So does a daemon that was not there at all.
func TestLoopCatchesUpOnceAfterItWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "0 * * * *", "UTC"))
		d.begin(t, "2026-11-21 12:10")
		d.stop()
		d.begin(t, "2026-11-22 12:10")
		pass(time.Minute)
		d.stop()
		d.begin(t, "2026-11-22 12:20")
		pass(time.Minute)
		d.stop()
		if got := d.started(); got != "11-22 12:10" {
			t.Error(got)
		}
	})
}

func TestLoopOnTheNightsThatClocksChange(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"skipped", "2026-03-28 22:00", "03-29 03:00, 03-30 02:30"},
		{"twice", "2026-10-24 22:00", "10-25 02:30, 10-26 02:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, job(t, "30 2 * * *", "Europe/Berlin"))
				d.begin(t, c.from)
				pass(36 * time.Hour)
				d.stop()
				if got := d.started(); got != c.want {
					t.Error(got)
				}
			})
		})
	}
}

func TestLoopWithAClockThatIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "30 2 * * *", "UTC"))
		d.begin(t, "2026-11-21 02:00")
		pass(40 * time.Minute)
		d.sleep(-time.Hour) // back to 01:40: 02:30 comes again
		pass(2 * time.Hour)
		if got := d.started(); got != "11-21 02:30" {
			t.Errorf("set back by an hour: %s", got)
		}
		d.sleep(-5 * 365 * 24 * time.Hour) // it was years ahead all the time
		pass(24 * time.Hour)
		d.stop()
		if got := d.started(); got != "11-21 02:30, 11-23 02:30" {
			t.Errorf("set back by years: %s", got)
		}
	})
}

func TestLoopDoesNotRunAJobBesideItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long, short := job(t, "*/10 * * * *", "UTC"), job(t, "*/15 * * * *", "UTC")
		short.Name = "short"
		d := newDesk(t, long, short)
		d.work = 35 * time.Minute
		d.begin(t, "2026-11-21 12:05")
		pass(30 * time.Minute)
		if got := d.started(); got != "11-21 12:10, 11-21 12:15" {
			t.Error(got)
		}
		pass(20 * time.Minute)
		d.stop()
		if got := d.history(t, "nightly"); got != "skipped the run before it was still active; ok; interrupted" {
			t.Error(got)
		}
		state, _ := d.loop.Store.Read()
		if first := state["nightly"].History[0]; first.Times != 3 {
			t.Errorf("skipped %d times in a row", first.Times)
		}
	})
}

func TestLoopEndsItsJobsWithItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "*/10 * * * *", "UTC"))
		d.work = time.Hour
		d.begin(t, "2026-11-21 12:05")
		pass(10 * time.Minute)
		d.stop()
		if got := d.history(t, "nightly"); got != "interrupted" {
			t.Error(got)
		}
	})
}

func TestLoopNotesWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, "0 * * * *", "UTC")
		j.CatchUp = false
		d := newDesk(t, j)
		d.begin(t, "2026-11-21 12:10")
		d.sleep(2*time.Hour + 10*time.Minute)
		pass(50 * time.Minute)
		d.stop()
		if got := d.history(t, "nightly"); d.started() != "11-21 15:00" || got != "skipped missed at 2026-11-21 13:00; catch_up is off; ok" {
			t.Errorf("%s: %s", d.started(), got)
		}
	})
}

// A past that cannot be read is reported and replaced, and jobs continue.
func TestLoopWithADamagedPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "0 * * * *", "UTC"))
		if err := os.WriteFile(d.loop.Store.Path(), []byte(`{"version":1,"jo`), 0o600); err != nil {
			t.Fatal(err)
		}
		d.begin(t, "2026-11-21 12:10")
		pass(time.Hour)
		d.stop()
		if len(d.trouble) != 1 || !strings.Contains(d.trouble[0], "it is replaced") || d.started() != "11-21 13:00" {
			t.Errorf("%v %s", d.trouble, d.started())
		}
		if _, err := os.Stat(d.loop.Store.Path() + ".damaged"); err != nil {
			t.Error(err)
		}
	})
}

// A job that cannot be noted does not run, because it would run again and again. The error is
// reported once, and the job runs when it can be noted.
func TestLoopThatCannotNote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "* * * * *", "UTC"))
		d.begin(t, "2026-11-21 12:10")
		pass(time.Minute)
		dir := d.loop.Store.Folder()
		if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Minute)
		if d.started() != "11-21 12:11" || len(d.trouble) != 1 || !strings.Contains(d.trouble[0], filepath.Base(dir)) {
			t.Errorf("%s %v", d.started(), d.trouble)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		d.stop()
		if d.started() != "11-21 12:11, 11-21 12:17" {
			t.Error(d.started())
		}
	})
}

func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, job(t, "0 * * * *", "UTC"))
		d.work = time.Minute
		for range 2 {
			d.loop.Once(t.Context())
			d.sleep(5 * time.Hour)
		}
		if len(d.starts) != 1 || d.history(t, "nightly") != "ok" {
			t.Errorf("%v: %s", d.starts, d.history(t, "nightly"))
		}
	})
}
