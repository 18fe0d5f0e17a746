// Package textwidth measures and cuts lines by the number of columns that they
// take on a terminal.
package textwidth

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Cells returns how many columns of a terminal a line takes.
func Cells(line string) int {
	n := 0
	for _, r := range line {
		n += cells(r)
	}
	return n
}

// cells returns 2 for East Asian wide runes (UAX #11), 0 for marks, and 1
// otherwise.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// Cut cuts a line to at most most cells; a cut line ends in "…".
func Cut(line string, most int) string {
	if Cells(line) <= most {
		return line
	}
	if most <= 0 {
		return ""
	}
	used := 1
	for i, r := range line {
		used += cells(r)
		if used > most {
			return line[:i] + "…"
		}
	}
	return line
}

// Fold splits a line between words into lines of at most most cells. A word that
// is longer has a line by itself. A date and the time after it are one word.
func Fold(line string, most int) (lines []string) {
	for Cells(line) > most {
		at := lastBlank(line, most)
		if at < 0 {
			break
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = strings.TrimLeft(line[at:], " ")
	}
	return append(lines, line)
}

// lastBlank returns the offset of the last blank between words in the first most
// cells of a line and the one after them, or else of the first blank; -1 if there
// is none.
func lastBlank(line string, most int) (at int) {
	at = -1
	used := 0
	for i, r := range line {
		if used > most && at >= 0 {
			return at
		}
		if r == ' ' && strings.Trim(line[:i], " ") != "" && strings.Trim(line[i:], " ") != "" && !inTime(line, i) {
			at = i
		}
		used += cells(r)
	}
	return at
}

// inTime reports whether the blank at an offset is between a date and a time of day: "2026-11-27 10:00".
func inTime(line string, at int) bool {
	const date, clock = "0000-00-00", "00:00"
	return strings.HasSuffix(digitsAsZero(line[max(0, at-len(date)):at]), date) && strings.HasPrefix(digitsAsZero(line[at+1:min(len(line), at+1+len(clock))]), clock)
}

func digitsAsZero(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text)
}
