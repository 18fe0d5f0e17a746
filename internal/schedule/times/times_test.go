package times

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/randomtest"
)

func mustParse(t *testing.T, expression, zone string) Times {
	t.Helper()
	z, err := Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	times, err := Parse(expression, z)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

// between lists the due times after from, up to to.
func between(times Times, from, to time.Time) []string {
	var out []string
	for at, ok := times.Next(from); ok && !at.After(to); at, ok = times.Next(at) {
		out = append(out, at.In(times.Zone()).Format("01-02 15:04 -07"))
	}
	return out
}

// The nights that clocks change, in Berlin on 29 March and 25 October 2026.
func TestClockChanges(t *testing.T) {
	for _, c := range []struct{ name, expression, zone, from, to, want string }{
		{"skipped: at the change", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "2026-03-30T12:00Z", "03-29 03:00 +02, 03-30 02:30 +02"},
		{"twice: the first", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-26T12:00Z", "10-25 02:30 +02, 10-26 02:30 +01"},
		{"twice, seen first between the two: not that night", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45Z", "2026-10-26T12:00Z", "10-26 02:30 +01"},
		{"the hour that comes once", "0 3 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-25T12:00Z", "10-25 03:00 +01"},
		{"several skipped are one moment", "0,20,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "2026-03-29T12:00Z", "03-29 03:00 +02"},
		{"hourly, an hour less", "0 * * * *", "Europe/Berlin", "2026-03-29T00:00Z", "2026-03-29T02:00Z", "03-29 03:00 +02, 03-29 04:00 +02"},
		{"hourly, an hour more", "@hourly", "Europe/Berlin", "2026-10-24T23:30Z", "2026-10-25T02:00Z", "10-25 02:00 +02, 10-25 02:00 +01, 10-25 03:00 +01"},
		{"an interval knows no clock", "@every 90m", "Europe/Berlin", "2026-10-24T23:30Z", "2026-10-25T03:00Z", "10-25 02:00 +01, 10-25 03:30 +01"},
		{"a change at midnight", "@daily", "Asia/Beirut", "2026-03-28T12:00Z", "2026-03-29T22:00Z", "03-29 01:00 +03, 03-30 00:00 +03"},
		{"hourly on the day without a midnight", "0 */1 29 * *", "Asia/Beirut", "2026-03-28T12:00Z", "2026-03-29T00:30Z", "03-29 01:00 +03, 03-29 02:00 +03, 03-29 03:00 +03"},
		{"half an hour of change", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", "2026-10-05T00:00Z", "10-04 02:30 +11, 10-05 02:15 +11"},
		{"a day that never was", "0 9 30 12 *", "Pacific/Apia", "2011-12-29T00:00Z", "2012-01-02T00:00Z", "12-31 00:00 +14"},
		{"leap days", "0 0 29 2 *", "UTC", "2023-12-31T00:00Z", "2033-01-01T00:00Z", "02-29 00:00 +00, 02-29 00:00 +00, 02-29 00:00 +00"},
	} {
		at := func(text string) time.Time {
			when, err := time.Parse("2006-01-02T15:04Z", text)
			if err != nil {
				t.Fatal(err)
			}
			return when
		}
		if got := strings.Join(between(mustParse(t, c.expression, c.zone), at(c.from), at(c.to)), ", "); got != c.want {
			t.Errorf("%s: %s in %s\n got %s\nwant %s", c.name, c.expression, c.zone, got, c.want)
		}
	}
}

// A fixed wall time occurs once a day, for all changes of the clock in a year.
func TestOnceADay(t *testing.T) {
	randomtest.Check(t, 60, func(t *testing.T, rnd *rand.Rand) {
		zone := randomtest.Pick(rnd, "Europe/Berlin", "America/New_York", "America/Santiago", "Asia/Beirut", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata", "UTC")
		minute, hour := rnd.IntN(60), rnd.IntN(24)
		times := mustParse(t, fmt.Sprintf("%d %d * * *", minute, hour), zone)
		year := time.Date(2024+rnd.IntN(10), 1, 1, 0, 0, 0, 0, times.Zone())
		days := map[string]int{}
		for at, ok := times.Next(year.Add(-time.Second)); ok && at.Year() == year.Year(); at, ok = times.Next(at) {
			days[at.Format(time.DateOnly)]++
		}
		for day := time.Date(year.Year(), 1, 1, 0, 0, 0, 0, time.UTC); day.Year() == year.Year(); day = day.AddDate(0, 0, 1) {
			if n := days[day.Format(time.DateOnly)]; n != 1 {
				t.Fatalf("%d:%02d in %s on %s: %d times", hour, minute, zone, day.Format(time.DateOnly), n)
			}
		}
	})
}

// An expression for all hours is due at each elapsed minute with a matching wall time, as a
// check of each minute shows.
func TestElapsedByEveryMinute(t *testing.T) {
	randomtest.Check(t, 20, func(t *testing.T, rnd *rand.Rand) {
		zone := randomtest.Pick(rnd, "Europe/Berlin", "Asia/Beirut", "Australia/Lord_Howe", "America/Havana")
		minute, step := rnd.IntN(60), 1+rnd.IntN(3)
		times := mustParse(t, fmt.Sprintf("%d * */%d * *", minute, step), zone)
		from := time.Date(2026, time.Month(1+rnd.IntN(12)), 1+rnd.IntN(28), 0, 0, 0, 0, time.UTC)
		next, _ := times.Next(from)
		for at := from.Add(time.Minute); at.Before(from.AddDate(0, 1, 0)); at = at.Add(time.Minute) {
			wall := at.In(times.Zone())
			named := wall.Minute() == minute && (wall.Day()-1)%step == 0
			if due := at.Equal(next); due != named {
				t.Fatalf("%d * */%d in %s at %v: due %v, named %v", minute, step, zone, wall, due, named)
			}
			if named {
				next, _ = times.Next(at)
			}
		}
	})
}
