// Package textwidth measures and cuts lines by the number of columns that they
// take on a terminal.
package textwidth

import (
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
