package terminal

import (
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/textwidth"
)

// Row is one of several works that go on.
type Row struct {
	Number  string // stands before the title: "[2] "
	Title   string // tells it from the others; shortened
	Doing   string // gives way to the figures, which are what changes
	Figures []string
}

// minDoing is the least room, in cells, that a row's Doing gets beside the
// figures.
const minDoing = 12

// Line is what a row does, with its figures, in at most columns cells.
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

// Rows are rows as at most room lines, each of at most columns cells; the last
// may say how many more there are.
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

// maxLabel bounds a label, in cells.
const maxLabel = 32

// labels make titles short, and all as wide as the widest, so that they tell
// what has them apart: without the words that all of them begin with where they
// would not fit.
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

// commonWords is how many bytes of whole words several texts begin with alike.
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
