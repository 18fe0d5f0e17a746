package schedule

import (
	"testing"
	"time"

	"agentflow/internal/schedule/times"
)

func job(t *testing.T, cron, zone string) Job {
	t.Helper()
	z, err := times.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	due, err := times.Parse(cron, z)
	if err != nil {
		t.Fatal(err)
	}
	return Job{Name: "nightly", Scope: "/repo", Key: cron + " " + zone, Times: due, CatchUp: true}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// TestDue lists decisions about a job at a time, given the time up to which it is handled.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		name, cron, until, now string
		change                 func(*Job)
		want                   Verdict
	}{
		{"before its time", "30 2 * * *", "2026-11-20 12:00", "2026-11-21 02:29", nil, Wait},
		{"at its time", "30 2 * * *", "2026-11-20 12:00", "2026-11-21 02:30", nil, Fire},
		{"dealt with", "30 2 * * *", "2026-11-21 02:30", "2026-11-21 02:31", nil, Wait},
		{"asleep over three", "30 2 * * *", "2026-11-18 02:30", "2026-11-21 09:00", nil, Fire},
		{"and then once", "30 2 * * *", "2026-11-21 09:00", "2026-11-21 09:01", nil, Wait},
		{"asleep, and it does not catch up", "30 2 * * *", "2026-11-18 02:30", "2026-11-21 09:00", func(j *Job) { j.CatchUp = false }, Miss},
		{"a little late is not missed", "30 2 * * *", "2026-11-20 02:30", "2026-11-21 02:34", func(j *Job) { j.CatchUp = false }, Fire},
		{"the clock is set back", "30 2 * * *", "2026-11-21 02:30", "2026-11-21 02:00", nil, Wait},
		{"and comes to its time again", "30 2 * * *", "2026-11-21 02:30", "2026-11-21 02:30", nil, Wait},
		{"a leap day", "0 0 29 2 *", "2024-02-29 00:00", "2028-02-28 23:59", nil, Wait},
		{"the next leap day", "0 0 29 2 *", "2024-02-29 00:00", "2028-02-29 00:00", nil, Fire},
	} {
		j := job(t, c.cron, "UTC")
		if c.change != nil {
			c.change(&j)
		}
		if got, due := j.Due(Past{Until: at(t, c.until)}, at(t, c.now)); got != c.want {
			t.Errorf("%s: verdict %v, due %v", c.name, got, due)
		}
	}
}

func TestJitterIsBoundedAndTheSameEachTime(t *testing.T) {
	j := job(t, "30 2 * * *", "UTC")
	j.Jitter = 10 * time.Minute
	seen := map[time.Duration]bool{}
	for day := range 200 {
		slot := time.Date(2026, 1, day, 2, 30, 0, 0, time.UTC)
		put := j.putOff(slot)
		if put < 0 || put >= j.Jitter || put != j.putOff(slot.In(time.FixedZone("x", 3600))) {
			t.Fatalf("day %d: %v", day, put)
		}
		seen[put] = true
		before, at := j.Due(Past{Until: slot.Add(-time.Hour)}, slot.Add(put-time.Second))
		verdict, _ := j.Due(Past{Until: slot.Add(-time.Hour)}, slot.Add(put))
		if before != Wait || !at.Equal(slot.Add(put)) || verdict != Fire {
			t.Fatalf("day %d: %v %v %v", day, before, at, verdict)
		}
	}
	other := j
	other.Scope = "/other"
	if slot := at(t, "2026-11-21 02:30"); other.putOff(slot) == j.putOff(slot) {
		t.Error("another repository has the same jitter")
	}
	if len(seen) < 100 {
		t.Errorf("only %d different ones", len(seen))
	}
}

// The zone is part of the timetable: a job with another zone starts with no past, and does not
// run at once for a time in the old zone.
func TestAnotherTimetableBeginsAnew(t *testing.T) {
	berlin, york := job(t, "30 2 * * *", "Europe/Berlin"), job(t, "30 2 * * *", "America/New_York")
	now := at(t, "2026-11-21 12:00")
	p := berlin.pastAt(Past{}, at(t, "2026-11-01 12:00"))
	if v, _ := berlin.Due(p, now); v != Fire {
		t.Errorf("%v", v)
	}
	p.Spent = map[string]float64{"2026-11-21": 1}
	p = york.pastAt(p, now)
	if v, due := york.Due(p, now); v != Wait || !due.Equal(at(t, "2026-11-22 07:30")) || p.Spent["2026-11-21"] != 1 {
		t.Errorf("%v %v %+v", v, due, p)
	}
	// A past from a clock that was years ahead does not stop a job for years.
	p = york.pastAt(Past{Key: york.Key, Until: now.AddDate(5, 0, 0)}, now)
	if _, due := york.Due(p, now); !due.Equal(at(t, "2026-11-22 07:30")) {
		t.Errorf("due %v", due)
	}
}

func TestAllowance(t *testing.T) {
	for _, c := range []struct {
		run, day, spent, limit float64
		ok                     bool
	}{
		{0, 0, 9, 0, true}, {2, 0, 9, 2, true}, {2, 5, 0, 2, true}, {2, 5, 4, 1, true},
		{0, 5, 4, 1, true}, {2, 5, 5, 0, false}, {2, 5, 7, 0, false},
	} {
		if limit, ok := Allowance(c.run, c.day, c.spent); limit != c.limit || ok != c.ok {
			t.Errorf("%+v: %v %v", c, limit, ok)
		}
	}
}
