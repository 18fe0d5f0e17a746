package when

import (
	"strings"
	"time"
)

// What the German forms share.
const (
	inGerman     = `(?:\b(?:in|während) )?(?:\b(?:der|den|dem) )?`
	germanNumber = `(\d{1,3}|ein(?:e[mnr]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)`
	germanUnits  = `(tag|woche|monat)(?:en|e|n)?`
	germanDays   = `(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)`
)

// english are the words that the German forms find, as the others name them.
var english = func() map[string]string {
	m := map[string]string{"diese": "this", "letzte": "last", "vorige": "last", "vergangene": "last",
		"tag": "day", "woche": "week", "monat": "month", "ein": "one", "eine": "one", "einem": "one", "einen": "one", "einer": "one",
		"montag": "monday", "dienstag": "tuesday", "mittwoch": "wednesday", "donnerstag": "thursday", "freitag": "friday",
		"samstag": "saturday", "sonnabend": "saturday", "sonntag": "sunday"}
	for n, word := range strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn") {
		m[word] = smallNumbers[n]
	}
	return m
}()

// german is a span of an English form for the groups of a German one.
func german(span func(m []string, now time.Time) (from, to time.Time, ok bool)) func([]string, time.Time) (time.Time, time.Time, bool) {
	return func(m []string, now time.Time) (time.Time, time.Time, bool) {
		words := make([]string, len(m))
		for i, w := range m {
			if e, ok := english[w]; ok {
				w = e
			}
			words[i] = w
		}
		return span(words, now)
	}
}

// germanDay reads day, month and year.
func germanDay(m []string, now time.Time) (from, to time.Time, ok bool) {
	return exactDay(number4(m[3]), time.Month(number(m[2])), number(m[1]), now)
}
