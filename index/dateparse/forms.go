package dateparse

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

type dateForm struct {
	words *regexp.Regexp
	span  span
}

// span returns the period that the groups of an expression denote; to is
// exclusive.
type span func(m []string, now time.Time) (from, to time.Time, ok bool)

// Parts shared by the expressions of dateForms. Short names of months need a
// day or a year next to them.
const (
	fullMonths  = `january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember`
	anyMonth    = `(` + fullMonths + `|jan|feb|mar|mär|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)`
	year        = `(?:,? ([12]\d{3}))`
	weekdays    = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	aNumber     = `(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)`
	units       = `(day|week|month)s?`
	ofAPeriod   = `(?:\b(?:in|of|during|within) )?(?:\bthe )?`
	possessive  = `(?:['’]s)?`
	ordinal     = `(?:st|nd|rd|th|\.)?`
	onDay       = `(?:\b(?:on|of|am) )?(?:\bthe )?`
	farthestAgo = 999 // of any unit
)

// dateForms compiles the expressions when they are first needed, because most
// commands search for nothing.
var dateForms = sync.OnceValue(func() []dateForm {
	form := func(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + words + `\b`) }
	day := func(year, month, day int) span { // by the numbers of their groups
		return func(m []string, now time.Time) (from, to time.Time, ok bool) {
			return dayOf(m[year], m[month], m[day], now)
		}
	}
	return []dateForm{
		{form(onDay + `\b(\d{4})-(\d\d)-(\d\d)`), day(1, 2, 3)},
		{form(onDay + `\b(\d{1,2})` + ordinal + ` (?:of )?` + anyMonth + year + `?`), day(3, 2, 1)},
		{form(onDay + `\b` + anyMonth + ` (\d{1,2})` + ordinal + year + `?`), day(3, 1, 2)},
		{form(`(?:\b(?:in|of|during|im) )?\b` + anyMonth + year), monthOf},
		{form(`\b(?:in|of|during|im) (` + fullMonths + `)()`), monthOf},
		{form(`(?:\bam )?\b(\d{1,2})\.(\d{1,2})\.([12]\d{3})`), day(3, 2, 1)},
		{form(`\b(today|yesterday|heute|gestern|vorgestern)` + possessive), nearDay},
		{form(ofAPeriod + `\b(this|last|previous) (week|month)` + possessive), nearPeriod},
		{form(ofAPeriod + `\b(?:last|past|previous) ` + aNumber + ` ` + units), lastFew},
		{form(`\b` + aNumber + ` ` + units + ` ago`), ago},
		{form(`(?:\bon )?\blast ` + weekdays + possessive), lastWeekday},
		{form(inGerman + `\b(diese|letzte|vorige|vergangene)[rnms]? (woche|monat)s?`), german(nearPeriod)},
		{form(inGerman + `\b(?:letzten|vorigen|vergangenen) ` + germanNumber + ` ` + germanUnits), german(lastFew)},
		{form(`\bvor ` + germanNumber + ` ` + germanUnits), german(ago)},
		{form(`(?:\bam )?\b(?:letzten|vorigen|vergangenen) ` + germanDays), german(lastWeekday)},
	}
})

// dateHints lists substrings. Every text that one of dateForms matches contains
// at least one of them.
var dateHints = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec mär mai okt dez -0 -1 today yesterday heute gestern this last previous past ago diese letzte vorige vergangene vor .19 .20")

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "May": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12, "januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
	"mär": 3, "okt": 10, "dez": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var smallNumbers = strings.Fields("zero one two three four five six seven eight nine ten")

// number parses a match of aNumber. It returns 0 for a number that is too
// large.
func number(s string) int {
	if s == "a" || s == "an" {
		return 1
	}
	if n := slices.Index(smallNumbers, s); n >= 0 {
		return n
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > farthestAgo {
		return 0
	}
	return n
}

// Parts shared by the German forms.
const (
	inGerman     = `(?:\b(?:in|während) )?(?:\b(?:der|den|dem) )?`
	germanNumber = `(\d{1,3}|ein(?:e[mnr]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)`
	germanUnits  = `(tag|woche|monat)(?:en|e|n)?`
	germanDays   = `(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)`
)

// english translates the words that the German forms match to those of the
// English forms.
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

// german adapts the span of an English form to the groups of a German form.
func german(s span) span {
	return func(m []string, now time.Time) (from, to time.Time, ok bool) {
		words := make([]string, len(m))
		for i, w := range m {
			if e, ok := english[w]; ok {
				w = e
			}
			words[i] = w
		}
		return s(words, now)
	}
}
