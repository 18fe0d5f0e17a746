package times

import (
	"strings"
	"testing"
	"time"
)

func TestBadExpressionsNameTheField(t *testing.T) {
	for expression, want := range map[string]string{
		"":                                      "five fields",
		"* * * *":                               "have 4",
		"0 0 2 * * *":                           "have 6",
		"60 2 * * *":                            "minute: want 0 to 59",
		"0 24 * * *":                            "hour: want 0 to 23",
		"0 2 32 * *":                            "day of the month: want 1 to 31",
		"0 2 * foo *":                           "month: want 1 to 12 or jan to dec",
		"0 2 * * 7":                             "day of the week: want 0 to 6",
		"5-1 2 * * *":                           "minute",
		"*/0 2 * * *":                           "minute",
		"0 2 30 2 *":                            "never due",
		"0 2 31 4,6 *":                          "never due",
		"@reboot":                               "want @yearly",
		"@every 10s":                            "at least 1m",
		"@every soon":                           "at least 1m",
		"@every -2h":                            "at least 1m",
		"TZ=UTC":                                "zone says it",
		"CRON_TZ=UTC 0 2 * * *":                 "zone says it",
		"0 2 * * TZ=UTC":                        "zone says it",
		strings.Repeat("1,", 600) + "1 2 * * *": "at most 1000",
	} {
		_, err := Parse(expression, time.UTC)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", expression, err, want)
		}
	}
	for _, zone := range []string{"Mars/Olympus", "../etc/passwd", "/etc/localtime", "Europe/Berlin\x00"} {
		if _, err := Zone(zone); err == nil || !strings.Contains(err.Error(), "want a time zone") {
			t.Errorf("%q: %v", zone, err)
		}
	}
}

// Any expression is refused, or is due repeatedly and always after the given time.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"* * * * *", "30 2 * * *", "*/7 1-5,20 ? jan-mar mon", "@every 61s", "@weekly", "0 0 29 2 *", "TZ=", "@", "0 0 31 4 1"} {
		f.Add(seed, int64(1774746000))
	}
	zone, err := Zone("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expression string, unix int64) {
		times, err := Parse(expression, zone)
		if err != nil {
			return
		}
		at := time.Unix(unix%4e9, 0)
		for range 5 {
			next, ok := times.Next(at)
			if ok && !next.After(at) {
				t.Fatalf("%q after %v: %v", expression, at, next)
			}
			if !ok {
				return
			}
			at = next
		}
	})
}
