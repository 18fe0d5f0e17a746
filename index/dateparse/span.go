package dateparse

import (
	"strings"
	"time"
)

// days returns the n days from the beginning of t's day.
func days(t time.Time, n int) (from, to time.Time, ok bool) {
	from = date(t, t.Year(), t.Month(), t.Day())
	return from, from.AddDate(0, 0, n), true
}

// date returns the beginning of a day in t's time zone.
func date(t time.Time, year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// week returns the week of t, from Monday on.
func week(t time.Time) (from, to time.Time, ok bool) {
	return days(t.AddDate(0, 0, -(int(t.Weekday())+6)%7), 7)
}

// month returns the month that is n months after t's.
func month(t time.Time, n int) (from, to time.Time, ok bool) {
	from = date(t, t.Year(), t.Month()+time.Month(n), 1)
	return from, from.AddDate(0, 1, 0), true
}

// exactDay returns a day; ok is false if the month has no such day.
func exactDay(year int, month time.Month, day int, now time.Time) (from, to time.Time, ok bool) {
	d := date(now, year, month, day)
	if d.Year() != year || d.Month() != month || d.Day() != day {
		return from, to, false
	}
	return days(d, 1)
}

// dayOf returns a day. Without a year it is the last such day not after now.
func dayOf(year, monthName, day string, now time.Time) (from, to time.Time, ok bool) {
	month, known := months[monthName]
	if !known {
		month = time.Month(number(monthName)) // 0 is none
	}
	if year != "" {
		return exactDay(number4(year), month, number(day), now)
	}
	for y := now.Year(); y > now.Year()-9; y-- { // two 29 Februaries may be eight years apart
		if from, to, ok = exactDay(y, month, number(day), now); ok && !from.After(now) {
			return from, to, true
		}
	}
	return from, to, false
}

// monthOf returns a month. Without a year it is the last such month that has
// begun.
func monthOf(m []string, now time.Time) (from, to time.Time, ok bool) {
	named, known := months[m[1]]
	y := now.Year()
	if m[2] != "" {
		y = number4(m[2])
	} else if named > now.Month() {
		y--
	}
	from, to, _ = month(date(now, y, named, 1), 0)
	return from, to, known
}

func number4(s string) int {
	n := 0
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

func nearDay(m []string, now time.Time) (from, to time.Time, ok bool) {
	switch m[1] {
	case "yesterday", "gestern":
		return days(now.AddDate(0, 0, -1), 1)
	case "vorgestern":
		return days(now.AddDate(0, 0, -2), 1)
	}
	return days(now, 1)
}

// nearPeriod covers both readings of "last week": the week before this one, and
// the seven days up to now.
func nearPeriod(m []string, now time.Time) (from, to time.Time, ok bool) {
	last := 0
	if m[1] != "this" {
		last = 1
	}
	if m[2] == "month" {
		return month(now, -last)
	}
	from, to, ok = week(now.AddDate(0, 0, -7*last))
	if last > 0 {
		_, to, _ = days(now, 1)
	}
	return from, to, ok
}

// lastFew returns the last n days, weeks or months, which end with today.
func lastFew(m []string, now time.Time) (from, to time.Time, ok bool) {
	n := number(m[1])
	from, to, _ = days(now, 1)
	switch m[2] {
	case "day":
		from = from.AddDate(0, 0, -n)
	case "week":
		from = from.AddDate(0, 0, -7*n)
	case "month":
		from = from.AddDate(0, -n, 0)
	}
	return from, to, n > 0
}

// ago returns the whole day, week or month that was n of them ago.
func ago(m []string, now time.Time) (from, to time.Time, ok bool) {
	n := number(m[1])
	switch {
	case n == 0:
		return from, to, false
	case m[2] == "day":
		return days(now.AddDate(0, 0, -n), 1)
	case m[2] == "week":
		return week(now.AddDate(0, 0, -7*n))
	}
	return month(now, -n)
}

// lastWeekday returns the last such day before today.
func lastWeekday(m []string, now time.Time) (from, to time.Time, ok bool) {
	for n := 1; n <= 7; n++ {
		d := now.AddDate(0, 0, -n)
		if strings.ToLower(d.Weekday().String()) == m[1] {
			return days(d, 1)
		}
	}
	return from, to, false
}
