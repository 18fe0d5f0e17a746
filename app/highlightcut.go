package app

import (
	"slices"
	"unicode/utf8"

	"agentflow/internal/textwidth"
)

// Cut is the line in at most so many columns of a terminal. It keeps the beginning, unless
// the first match would not be seen then.
func (l Line) Cut(cells int) Line {
	if textwidth.Cells(l.Text) <= cells {
		return l
	}
	from, room := 0, cells-1 // for the … behind
	if len(l.Matches) > 0 && textwidth.Cells(l.Text[:l.Matches[0].End]) > room {
		from, room = cellsBefore(l.Text, l.Matches[0].Start, cells/3), room-1
	}
	to := from
	for to < len(l.Text) {
		r, n := utf8.DecodeRuneInString(l.Text[to:])
		if room -= textwidth.Cells(string(r)); room < 0 {
			break
		}
		to += n
	}
	return l.part(from, to)
}

// cellsBefore is the index that is up to so many columns before at.
func cellsBefore(text string, at, cells int) int {
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if cells -= textwidth.Cells(string(r)); cells < 0 {
			break
		}
		at -= n
	}
	return at
}

// part is a part of a line, with … where text is missing at an end.
func (l Line) part(from, to int) Line {
	const missing = "…"
	out := Line{Text: l.Text[from:to]}
	shift := -from
	if from > 0 {
		out.Text = missing + out.Text
		shift += len(missing)
	}
	if to < len(l.Text) {
		out.Text += missing
	}
	for _, m := range l.Matches {
		if m.Start, m.End = max(m.Start, from), min(m.End, to); m.Start < m.End {
			out.Matches = append(out.Matches, Match{Start: m.Start + shift, End: m.End + shift})
		}
	}
	return out
}

// Styled is the line with style put on its matches.
func (l Line) Styled(style func(string) string) string {
	text := l.Text
	for _, m := range slices.Backward(l.Matches) {
		text = text[:m.Start] + style(text[m.Start:m.End]) + text[m.End:]
	}
	return text
}
