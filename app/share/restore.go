package share

import "strings"

// EndsID reports whether short is an id, or the end of one with at least 4 digits.
func EndsID(id, short string) bool {
	return len(short) >= 4 && strings.HasSuffix(id, strings.ToLower(short))
}
