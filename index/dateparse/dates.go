// Package dateparse finds dates in questions such as "what broke last Tuesday?" It
// reads the same forms in English and German. A language is supported
// completely or not at all.
package dateparse

import (
	"slices"
	"strings"
	"time"

	"agentflow/internal/words"
)

// Period is a period that a text names.
type Period struct {
	From, To time.Time // To is exclusive
	Words    string    // as written
}

// In finds the first date in a query, relative to now and in its time zone, and
// returns the query without it. Days and months without a year are the last
// ones not after now. These are not dates: a single number or year, a part of a
// path or a version, and "may" in lower case.
func In(query string, now time.Time) (p Period, rest string, ok bool) {
	if now.IsZero() || !mayNameDate(query) {
		return Period{}, query, false
	}
	first := len(query)
	for _, f := range dateForms() {
		for _, m := range f.words.FindAllStringSubmatchIndex(query, -1) {
			if m[0] >= first {
				break
			}
			if from, to, is := f.span(groups(query, m), now); is && apart(query, m[0], m[1]) {
				p, first, ok = Period{from, to, query[m[0]:m[1]]}, m[0], true
				break
			}
		}
	}
	if !ok {
		return Period{}, query, false
	}
	return p, query[:first] + " " + query[first+len(p.Words):], true
}

// mayNameDate saves most queries the regular expressions by a cheap test.
func mayNameDate(query string) bool {
	low := strings.ToLower(query)
	return slices.ContainsFunc(dateHints, func(hint string) bool { return strings.Contains(low, hint) })
}

// apart reports whether [from, to) is not part of a path, a version or a name,
// nor of a word with letters that the expression does not know.
func apart(text string, from, to int) bool {
	joined := func(c byte) bool { return c >= 0x80 || strings.IndexByte("_/.-:", c) >= 0 || words.IsWord(rune(c)) }
	if from > 0 && joined(text[from-1]) {
		return false
	}
	end := strings.TrimLeft(text[to:], ".:")
	return end == "" || !joined(end[0]) || len(end) < len(text[to:]) && !words.IsWord(rune(end[0])) && end[0] < 0x80
}

// groups returns the matches of the parenthesized groups in lower case, except
// "May", which keeps its capital.
func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] < 0 {
			continue
		}
		out[i] = text[m[2*i]:m[2*i+1]]
		if out[i] != "May" {
			out[i] = strings.ToLower(out[i])
		}
	}
	return out
}
