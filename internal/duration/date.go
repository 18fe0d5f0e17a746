package duration

import (
	"fmt"
	"time"
)

// DateForms explains how to write a date.
const DateForms = "write 2026-11-21, 2026-11-21T15:04, yesterday, or how long ago: 12h, 7d"

// ParseDate parses a day, which means its first moment, a time, or how long
// ago.
func ParseDate(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	for back, name := range []string{"today", "yesterday"} {
		if text == name {
			year, month, day := now.Date()
			return time.Date(year, month, day-back, 0, 0, 0, 0, now.Location()), nil
		}
	}
	if ago, err := Parse(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is no date", text)
}
