// Package duration parses and formats durations with days and weeks.
package duration

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Parse parses durations like time.ParseDuration, and also days and weeks with
// or without a fraction: "90s", "1h30m", "30d", "2w". Negative durations are
// errors; "0" is 0.
func Parse(s string) (time.Duration, error) {
	units := map[string]time.Duration{"d": day, "w": 7 * day}
	if n := len(s) - 1; n > 0 {
		if unit, ok := units[s[n:]]; ok {
			count, err := strconv.ParseFloat(s[:n], 64)
			if err != nil || !(count >= 0 && count < 1e5) {
				return 0, fmt.Errorf("want a duration such as 90s, 30m, 2h or 30d, have %q", s)
			}
			return time.Duration(count * float64(unit)), nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a duration such as 90s, 30m, 2h or 30d, have %q", s)
	}
	return d, nil
}

// Format formats d so that Parse can read it, without the zero units that
// time.Duration shows.
func Format(d time.Duration) string {
	if d > 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
