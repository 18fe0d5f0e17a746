package terminal

import (
	"strings"
	"unicode/utf8"
)

// Table formats rows in columns: the first column left-aligned, the others
// right-aligned.
func Table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	pad := func(cell string, width int) string { return strings.Repeat(" ", width-utf8.RuneCountInString(cell)) }
	var lines []string
	for _, row := range rows {
		line := row[0] + pad(row[0], widths[0])
		for i, cell := range row[1:] {
			line += "  " + pad(cell, widths[i+1]) + cell
		}
		lines = append(lines, line)
	}
	return lines
}
