package app

import (
	"unicode/utf8"

	"agentflow/internal/terminal"
)

// This is what list, similar and diff stats still print with; it is in
// cmd/agentflow/columns.go already.

type shownLine struct{ text string }

func (l shownLine) cut(cells int) shownLine {
	if cellsOf(l.text) <= cells {
		return l
	}
	to, room := 0, cells-1
	for to < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[to:])
		if room -= cellsOf(string(r)); room < 0 {
			break
		}
		to += n
	}
	return shownLine{l.text[:to] + "…"}
}

func cellsOf(s string) int { return terminal.Cells(s) }

func cutRunes(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
