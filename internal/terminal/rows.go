package terminal

import (
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/textwidth"
)

// Row is one of several operations in progress.
type Row struct {
	Number  string // put before the title: "[2] "
	Title   string // identifies the row; shortened
	Doing   string // shortened in favour of the figures, which are the part that changes
	Figures []string
}

// minDoing reserves room for a row's Doing next to the figures, in cells.
const minDoing = 12

// Line returns what a row does, with its figures, in at most columns cells.
func (r Row) Line(columns int) string {
	figures := ""
	for _, figure := range r.Figures {
		figures += " · " + figure
	}
	if room := columns - textwidth.Cells(figures); room >= minDoing {
		return textwidth.Cut(r.Doing, room) + figures
	}
	return textwidth.Cut(r.Doing+figures, columns)
}

// Rows formats rows as at most room lines of at most columns cells each. The
// last line may give the number of further rows.
func Rows(list []Row, columns, room int) []string {
	titles := make([]string, len(list))
	for i, r := range list {
		titles[i] = r.Title
	}
	titles = labels(titles)
	var lines []string
	for i, r := range list {
		if i == room-1 && len(list) > room {
			return append(lines, fmt.Sprintf("… and %d more", len(list)-i))
		}
		label := r.Number + titles[i] + "  "
		lines = append(lines, label+r.Line(columns-textwidth.Cells(label)))
	}
	return lines
}

// maxLabel limits the width of a label, in cells.
const maxLabel = 32

// labels shortens titles and pads them to the width of the widest. If a title
// is too long, the words that all of them begin with are left out, so that the
// labels show the differences.
func labels(titles []string) []string {
	list, skip, width := make([]string, len(titles)), 0, 0
	if slices.ContainsFunc(titles, func(title string) bool { return textwidth.Cells(title) > maxLabel }) {
		skip = commonWords(titles)
	}
	for i, title := range titles {
		if skip > 0 {
			title = "…" + title[skip:]
		}
		list[i] = textwidth.Cut(title, maxLabel)
		width = max(width, textwidth.Cells(list[i]))
	}
	for i, label := range list {
		list[i] += strings.Repeat(" ", width-textwidth.Cells(label))
	}
	return list
}

// commonWords returns the length in bytes of the whole words that all texts
// begin with.
func commonWords(texts []string) int {
	if len(texts) < 2 {
		return 0
	}
	first := texts[0]
	n := len(first)
	for _, text := range texts[1:] {
		n = min(n, len(text))
		for i := range n {
			if text[i] != first[i] {
				n = i
				break
			}
		}
	}
	return strings.LastIndexByte(first[:n], ' ') + 1
}
