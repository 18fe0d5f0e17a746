package explain

import "strings"

// Done returns the first sentence of a summary that says what was done, or "". Of a plan it is
// the title.
func Done(summary string) string {
	plan, planned := WithoutMark(summary)
	for _, s := range split(plan) {
		if planned && !strings.HasPrefix(s, "Asked: ") {
			return s
		}
	}
	for _, s := range split(summary) {
		if pending().MatchString(s) || needed().MatchString(s) || passes().MatchString(s) || verdict().MatchString(s) {
			continue
		}
		if results().MatchString(passive().ReplaceAllString(s, "")) && !strings.HasPrefix(s, "Before: ") && !strings.HasPrefix(s, "Asked: ") && count(s) >= 3 && !deictic().MatchString(s) && !depends(s) {
			return s
		}
	}
	return ""
}

// needed finds a sentence about work that is not done, or about tests.
var needed = lazy(`(?i)^(needs? |to be |all (the )?(tests|checks)\b)`)

// Explains reports whether a summary says more than that something was done: it gives a
// reason, or is long.
func Explains(summary string) bool {
	n := len(strings.Fields(summary))
	return n >= 12 && (reasons().MatchString(summary) || n >= 40)
}
