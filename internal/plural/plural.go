// Package plural formats numbers with English nouns, and sizes and durations
// for people.
package plural

import (
	"fmt"
	"strings"
	"time"
)

// Count returns "1 entry" or "3 entries".
func Count(n int, noun string) string {
	last := len(noun) - 1
	switch {
	case n == 1:
		return "1 " + noun
	case noun[last] == 'y' && !strings.ContainsRune("aeou", rune(noun[last-1])):
		return fmt.Sprintf("%d %sies", n, noun[:last])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Or returns "one, two or three".
func Or(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Bytes formats a number of bytes: "1.5 MiB".
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// Duration formats a duration with the precision that people need: "1.3s" or
// "12ms".
func Duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second / 10).String()
}
