package outline

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxDateText limits the bytes of a heading searched for a date.
const maxDateText = 300

// dateForms matches 2026-11-21, 2026/11/21, 21 November 2026, 21st of November 2026 and November
// 21, 2026, with months short or long.
var dateForms = sync.OnceValue(func() *regexp.Regexp {
	const month = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	return regexp.MustCompile(`(?i)(\d{4})-(\d\d)-(\d\d)|(\d{4})/(\d\d?)/(\d\d?)` +
		`|(\d\d?)(?:st|nd|rd|th|\.)? (?:of )?` + month + `,? (\d{4})|` + month + ` (\d\d?)(?:st|nd|rd|th)?,? (\d{4})`)
})

// foundDate is a date and its place in a text, in bytes.
type foundDate struct {
	from, to int
	day      time.Time // midnight UTC
}

// nextDate finds the first date of s at or after offset. A part of a longer number, of a version or
// of a path does not count.
func nextDate(s string, offset int) (foundDate, bool) {
	s = s[:min(len(s), maxDateText)]
	for offset < len(s) && hasYear(s) {
		m := dateForms().FindStringSubmatchIndex(s[offset:])
		if m == nil {
			break
		}
		group := func(i int) string { return s[offset+m[2*i] : offset+m[2*i+1]] }
		from, to := offset+m[0], offset+m[1]
		var day time.Time
		var ok bool
		switch {
		case m[2] >= 0:
			day, ok = dayOf(group(1), group(2), group(3))
		case m[8] >= 0:
			day, ok = dayOf(group(4), group(5), group(6))
		case m[14] >= 0:
			day, ok = dayOf(group(9), group(8), group(7))
		default:
			day, ok = dayOf(group(12), group(10), group(11))
		}
		if ok && apart(s, from, to) {
			return foundDate{from, to, day}, true
		}
		offset = from + 1
	}
	return foundDate{}, false
}

// apart reports whether s[from:to] is not part of something longer.
func apart(s string, from, to int) bool {
	if from > 0 && (asciiWord(s[from-1]) && s[from-1] != '_' || strings.IndexByte("-./+", s[from-1]) >= 0) {
		return false
	}
	if to == len(s) {
		return true
	}
	digitNext := to+1 < len(s) && isDigit(s[to+1])
	switch c := s[to]; {
	case c == 'T' || c == '.':
		return digitNext == (c == 'T')
	case c == '_':
		return true
	default:
		return !asciiWord(c) && strings.IndexByte("-/+", c) < 0
	}
}

// dayOf returns the day with these parts. month is a number or a name.
func dayOf(year, month, day string) (time.Time, bool) {
	y, errYear := strconv.Atoi(year)
	d, errDay := strconv.Atoi(day)
	m, errMonth := strconv.Atoi(month)
	if errMonth != nil {
		names := "janfebmaraprmayjunjulaugsepoctnovdec"
		m, errMonth = 1+strings.Index(names, strings.ToLower(month[:3]))/3, nil
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, errYear == nil && errDay == nil && errMonth == nil && t.Day() == d && int(t.Month()) == m
}

// dateIn finds the first date of a heading, at midnight UTC.
func dateIn(s string) (time.Time, bool) {
	found, ok := nextDate(s, 0)
	return found.day, ok
}

// hasYear reports whether s has four digits in a row, which every date has.
func hasYear(s string) bool {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			n = 0
		} else if n++; n == 4 {
			return true
		}
	}
	return false
}

// isDate reports whether a heading is only a day, perhaps with a time or the day's name.
func (h Heading) isDate() bool {
	if len(h.Text) > maxDateText {
		return false
	}
	var rest strings.Builder
	at, dated := 0, false
	for {
		found, ok := nextDate(h.Text, at)
		if !ok {
			break
		}
		rest.WriteString(h.Text[at:found.from] + " ")
		at, dated = found.to, true
	}
	rest.WriteString(h.Text[at:])
	if !dated {
		return false
	}
	for _, w := range strings.Fields(rest.String()) {
		if _, err := time.Parse("15:04", w); err != nil && HasWord(w) && !weekdays[strings.ToLower(strings.Trim(w, ",.()"))] {
			return false
		}
	}
	return true
}

// weekdays holds the names of the days, long and short.
var weekdays = func() map[string]bool {
	days := map[string]bool{}
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		days[name], days[name[:3]] = true, true
	}
	return days
}()
