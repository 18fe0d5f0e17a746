// Package plural puts numbers before English nouns.
package plural

import "fmt"

// Count is "1 entry" or "3 entries".
func Count(n int, noun string) string {
	last := len(noun) - 1
	switch {
	case n == 1:
		return "1 " + noun
	case noun[last] == 'y':
		return fmt.Sprintf("%d %sies", n, noun[:last])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
