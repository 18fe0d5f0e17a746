package redact

import (
	"time"
	"unicode/utf8"
)

// How long the expressions of Options.Extra may look at a text, altogether
// and for each of its bytes: a hundred of them take a tenth of that. One of
// them can take time that grows with the square of the text, and whoever
// writes a repository's settings writes it.
const (
	extraTime     = time.Second
	extraTimeByte = 5 * time.Microsecond
)

// custom returns what the expressions of Options.Extra find in s; false where
// they had not found everything at the time when they have to end.
func (r *Redactor) custom(s string, ends time.Time) (found []span, done bool) {
	for _, re := range r.extra {
		for from := 0; from <= len(s); {
			m := re.FindStringSubmatchIndex(s[from:])
			if m == nil {
				break
			}
			if time.Now().After(ends) {
				return nil, false
			}
			end := from + m[1]
			if len(m) > 2 && m[2] >= 0 {
				m = m[2:]
			}
			found = append(found, span{from + m[0], from + m[1], "custom"})
			if end == from { // it found nothing there, and would again
				_, width := utf8.DecodeRuneInString(s[from:])
				end += max(1, width)
			}
			from = end
		}
		if time.Now().After(ends) {
			return nil, false
		}
	}
	return found, true
}
