package duration

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	zone := time.FixedZone("east", 9*3600)
	now := time.Date(2026, 3, 1, 0, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"today":            "2026-03-01T00:00:00+09:00",
		"yesterday":        "2026-02-28T00:00:00+09:00",
		"2026-02-03":       "2026-02-03T00:00:00+09:00",
		"2026-02-03T15:04": "2026-02-03T15:04:00+09:00",
		"7d":               "2026-02-22T00:30:00+09:00",
	} {
		if got, err := ParseDate(text, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	if _, err := ParseDate("tomorrow-ish", now); err == nil {
		t.Error("tomorrow-ish is taken for a date")
	}
}
