package app

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/index"
	"agentflow/internal/terminal"
	"agentflow/memory"
)

// How much of a hit is shown: lines, and columns of each where there is no
// terminal to ask.
const (
	snippetLines = 4
	snippetCells = 160
)

// shownLine is a line with what of it the query asks for.
type shownLine struct {
	text  string
	spans []index.Span
}

// snippet is the part of a hit's text that tells most about a query: the
// neighbouring lines that hold the most of its terms, each cut to cells
// columns around what it matches.
func snippet(text string, mark func(string) []index.Span, cells int) []shownLine {
	var lines []shownLine
	for _, line := range tellingLines(text) {
		lines = append(lines, shownLine{line, mark(line)})
	}
	from := bestWindow(lines, snippetLines)
	lines = lines[from:min(from+snippetLines, len(lines))]
	for i, l := range lines {
		lines[i] = l.cut(cells)
	}
	return lines
}

// tellingLines are the lines of a hit's text without headings, comments,
// labels without a value and rules.
func tellingLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(memory.Clean(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line == "---" || line == "None" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") {
			continue
		}
		if strings.HasPrefix(line, "- **") && strings.Contains(line, "**: ") { // a label of Result
			continue
		}
		if cut := strings.Index(line, " <!--"); cut > 0 {
			line = line[:cut]
		}
		out = append(out, strings.ReplaceAll(line, "\t", " "))
	}
	return out
}

// bestWindow is where the first of the most neighbouring lines begins that
// together hold the most distinct terms.
func bestWindow(lines []shownLine, most int) int {
	best, at := 0, 0
	for from := 0; from+most <= len(lines); from++ {
		terms := map[int]bool{}
		for _, l := range lines[from : from+most] {
			for _, s := range l.spans {
				terms[s.Term] = true
			}
		}
		if len(terms) > best {
			best, at = len(terms), from
		}
	}
	return at
}

// cut shortens a line to so many columns. It keeps the beginning, unless what
// is asked for would not be seen then.
func (l shownLine) cut(cells int) shownLine {
	if cellsOf(l.text) <= cells {
		return l
	}
	from, room := 0, cells-1 // for the … behind
	if len(l.spans) > 0 && cellsOf(l.text[:l.spans[0].End]) > room {
		from, room = l.before(l.spans[0].Start, cells/3), room-1
	}
	to := from
	for to < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[to:])
		if room -= cellsOf(string(r)); room < 0 {
			break
		}
		to += n
	}
	return l.part(from, to)
}

// before is the place up to so many columns before at.
func (l shownLine) before(at, cells int) int {
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(l.text[:at])
		if cells -= cellsOf(string(r)); cells < 0 {
			break
		}
		at -= n
	}
	return at
}

// part is a stretch of a line, with … for what is missing at its ends.
func (l shownLine) part(from, to int) shownLine {
	const missing = "…"
	out := shownLine{text: l.text[from:to]}
	shift := -from
	if from > 0 {
		out.text = missing + out.text
		shift += len(missing)
	}
	if to < len(l.text) {
		out.text += missing
	}
	for _, s := range l.spans {
		if s.Start, s.End = max(s.Start, from), min(s.End, to); s.Start < s.End {
			out.spans = append(out.spans, index.Span{Start: s.Start + shift, End: s.End + shift, Term: s.Term})
		}
	}
	return out
}

// styled is the line with style put on what the query asks for.
func (l shownLine) styled(style func(string) string) string {
	text := l.text
	for _, s := range slices.Backward(l.spans) {
		text = text[:s.Start] + style(text[s.Start:s.End]) + text[s.End:]
	}
	return text
}

// cellsOf is how many columns of a terminal a line takes.
func cellsOf(s string) int { return terminal.Cells(s) }
