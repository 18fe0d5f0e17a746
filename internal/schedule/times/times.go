// Package times computes when a cron expression is due in a time zone, also on the days when
// clocks change.
//
// An expression that omits some hour of the day follows wall time: each wall time that it names
// is due exactly once. If a change of the clock skips that time, it is due at the moment of the
// change. If the time occurs twice, the first one counts. An expression that names every hour
// follows elapsed time: an hourly job runs one time less on the one day and one time more on
// the other.
//
// Everything here is pure. The IANA time zones are part of the program.
package times

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a system without time zones must not lose a job's

	"github.com/robfig/cron/v3"
)

// Times is the sequence of moments that an expression names in a zone.
type Times struct {
	spec cron.Schedule // only used in UTC, where no clock changes
	zone *time.Location
	mode mode
}

type mode int

const (
	byInterval mode = iota // time since the last run
	byWall                 // wall time
	byElapsed              // wall time without changes of the clock
)

// Zone returns the time zone with an IANA name; an empty name is the system's zone.
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("want a time zone such as Europe/Berlin or UTC, have %q", name)
	}
	return zone, nil
}

// Parse parses a cron expression: five fields (minute, hour, day of the month, month, day of
// the week), @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually, or @every with
// a duration of at least a minute. It returns an error for an expression that is never due, and
// for one with seconds or a zone.
func Parse(expression string, zone *time.Location) (Times, error) {
	expression = strings.TrimSpace(expression)
	if err := check(expression); err != nil {
		return Times{}, err
	}
	spec, err := cron.ParseStandard(expression)
	if err != nil {
		return Times{}, err
	}
	parsed, ok := spec.(*cron.SpecSchedule)
	if !ok {
		return Times{spec, zone, byInterval}, nil
	}
	// Start in a year before a leap day: an expression that is not due in the next five years
	// is never due.
	if spec.Next(time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Times{}, fmt.Errorf("%q is never due: no month it names has that day", expression)
	}
	const everyHour = 1<<24 - 1
	if parsed.Hour&everyHour == everyHour {
		return Times{spec, zone, byElapsed}, nil
	}
	return Times{spec, zone, byWall}, nil
}

// Zone returns the zone of these times.
func (t Times) Zone() *time.Location { return t.zone }

// Next returns the first moment after a time. It returns false if there is none in the
// following five years.
func (t Times) Next(after time.Time) (time.Time, bool) {
	switch after = after.In(t.zone); t.mode {
	case byWall:
		return t.nextOnWall(after)
	case byElapsed:
		return t.nextElapsed(after)
	default:
		return t.spec.Next(after), true
	}
}

func (t Times) nextOnWall(after time.Time) (time.Time, bool) {
	for wall := t.spec.Next(onWall(after)); !wall.IsZero(); wall = t.spec.Next(wall) {
		if next := moment(wall, t.zone); next.After(after) {
			return next, true
		}
	}
	return time.Time{}, false
}

// nextElapsed searches the periods between changes of the clock, one after another.
func (t Times) nextElapsed(after time.Time) (time.Time, bool) {
	for wall := onWall(after); ; {
		next := t.spec.Next(wall)
		if next.IsZero() {
			return time.Time{}, false
		}
		_, offset := after.Zone()
		_, end := after.ZoneBounds()
		next = next.Add(-time.Duration(offset) * time.Second).In(t.zone)
		if end.IsZero() || next.Before(end) {
			return next, true
		}
		after, wall = end, onWall(end).Add(-time.Second)
	}
}

// onWall returns the wall time at t, as if it were UTC.
func onWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// moment returns when the clock in zone shows wall: the first time if it does so twice, and the
// change of the clock if it never does.
func moment(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	from, to := at.ZoneBounds()
	switch shown := onWall(at); {
	case shown.After(wall):
		return from
	case shown.Before(wall):
		return to
	case from.IsZero():
		return at
	}
	_, offset := at.Zone()
	_, before := from.Add(-time.Nanosecond).Zone()
	if earlier := at.Add(time.Duration(offset-before) * time.Second); earlier.Before(at) && onWall(earlier).Equal(wall) {
		return earlier
	}
	return at
}

type field struct {
	name, holds string
	parser      cron.Parser
}

var fields = []field{
	{"minute", "0 to 59", cron.NewParser(cron.Minute)},
	{"hour", "0 to 23", cron.NewParser(cron.Hour)},
	{"day of the month", "1 to 31", cron.NewParser(cron.Dom)},
	{"month", "1 to 12 or jan to dec", cron.NewParser(cron.Month)},
	{"day of the week", "0 to 6 (0 is Sunday) or sun to sat", cron.NewParser(cron.Dow)},
}

var names = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// longest limits the length of an expression, in bytes. It is more than any needs.
const longest = 1000

// check returns an error that names the wrong field of an expression. It also refuses
// expressions on which the parser panics: a zone without the rest.
func check(expression string) error {
	if len(expression) > longest {
		return fmt.Errorf("want at most %d characters, have %d", longest, len(expression))
	}
	if strings.Contains(expression, "TZ=") {
		return fmt.Errorf("want no time zone in %q: zone says it", expression)
	}
	if strings.HasPrefix(expression, "@") {
		return checkNamed(expression)
	}
	have := strings.Fields(expression)
	if len(have) != len(fields) {
		return fmt.Errorf("want five fields (minute, hour, day of the month, month, day of the week) or a name such as @daily, have %d in %q",
			len(have), expression)
	}
	for i, f := range fields {
		if _, err := f.parser.Parse(have[i]); err != nil {
			return fmt.Errorf("%s: want %s, *, or ranges, steps and lists of them, have %q", f.name, f.holds, have[i])
		}
	}
	return nil
}

func checkNamed(expression string) error {
	if text, ok := strings.CutPrefix(expression, "@every "); ok {
		every, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil || every < time.Minute {
			return fmt.Errorf("want @every and a duration of at least 1m, have %q", expression)
		}
		return nil
	}
	if !slices.Contains(names, expression) {
		return fmt.Errorf("want %s or @every 2h, have %q", strings.Join(names, ", "), expression)
	}
	return nil
}
