package outline

import (
	"path"
	"strings"
	"time"
)

// dateInName finds the day in a file's name, at midnight UTC: the first that is written as
// 2026-11-21 or 2026_11_21, else the only one written as 20261121. Only days from 1900 to 2099
// count, because eight digits that are such a day with the year in front are never one with the
// year at the end, in either order of day and month. A part of a longer word or number, or of a
// version, does not count.
func dateInName(file string) (day time.Time, ok bool) {
	name := path.Base(file)
	name = strings.TrimSuffix(name, path.Ext(name))
	for i := range len(name) {
		if day, ok = nameDay(name, i, "dddd-dd-dd"); ok {
			return day, true
		}
	}
	for i := range len(name) {
		d, is := nameDay(name, i, "dddddddd")
		if is && ok && !d.Equal(day) {
			return time.Time{}, false
		}
		if is {
			day, ok = d, true
		}
	}
	return day, ok
}

// nameDay reads the day at an offset of a name. In form, d is a digit, and - a dash or an
// underscore.
func nameDay(name string, from int, form string) (time.Time, bool) {
	to := from + len(form)
	if to > len(name) {
		return time.Time{}, false
	}
	digits := make([]byte, 0, len("20261121"))
	for i, want := range []byte(form) {
		switch c := name[from+i]; {
		case want == 'd' && isDigit(c):
			digits = append(digits, c)
		case want == '-' && (c == '-' || c == '_'):
		default:
			return time.Time{}, false
		}
	}
	day, ok := dayOf(string(digits[:4]), string(digits[4:6]), string(digits[6:]))
	return day, ok && 1900 <= day.Year() && day.Year() < 2100 && isSeparate(name, from, to)
}

// isSeparate reports whether name[from:to], which begins and ends with a digit, is not part of something
// longer. A time may follow: 2026-11-21T14.
func isSeparate(name string, from, to int) bool {
	digitAt := func(i int) bool { return 0 <= i && i < len(name) && isDigit(name[i]) }
	if from > 0 {
		if c := name[from-1]; c != '_' && asciiWord(c) || c == '.' && digitAt(from-2) {
			return false
		}
	}
	if to == len(name) {
		return true
	}
	switch c := name[to]; c {
	case '_':
		return true
	case '.':
		return !digitAt(to + 1)
	case 'T':
		return digitAt(to + 1)
	default:
		return !asciiWord(c)
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
