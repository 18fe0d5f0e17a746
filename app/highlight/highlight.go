// Package highlight marks the words that a search matched: NewHighlighter takes the query and its hits, including
// corrected typing errors, and its methods choose the lines of a hit to show (Snippet), and mark and cut lines. It
// is pure. Matches are on the boundaries of characters and do not overlap. The package chooses no colours.
package highlight

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/index"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// Highlighter marks the parts of a text that a search matched. It is safe for concurrent use. The zero value marks
// nothing.
type Highlighter struct{ Find func(string) []index.Span }

// Line is a line of a text.
type Line struct {
	Text    string
	Matches []Match // in order; they do not overlap
}

// Match is a part of a line that a search matched: bytes [Start, End), on rune boundaries.
type Match struct{ Start, End int }

// NewHighlighter returns the Highlighter of a query and of the words that its hits matched: a search also matches
// corrected typing errors.
func NewHighlighter(query string, hits []retrieval.Hit) Highlighter {
	var terms []string
	for _, h := range hits {
		if h.Explain != nil {
			terms = append(terms, h.Explain.Terms...)
		}
	}
	slices.Sort(terms)
	return Highlighter{index.Highlighter(query + "\n" + strings.Join(slices.Compact(terms), " "))}
}

// snippetLines limits the lines of a snippet.
const snippetLines = 4

// Snippet returns the part of a hit's text with the most distinct terms of the query, as neighbouring lines.
func (h Highlighter) Snippet(hit retrieval.Hit) []Line {
	texts := excerptLines(hit)
	spans := make([][]index.Span, len(texts))
	if h.Find != nil {
		for i, line := range texts {
			spans[i] = h.Find(line)
		}
	}
	from := bestWindow(spans, snippetLines)
	var lines []Line
	for i := from; i < min(from+snippetLines, len(texts)); i++ {
		lines = append(lines, lineOf(texts[i], spans[i]))
	}
	return lines
}

// Line joins a text to one line, with its matches.
func (h Highlighter) Line(text string) Line {
	text = strings.Join(strings.Fields(memory.Clean(text)), " ")
	if h.Find == nil {
		return Line{Text: text}
	}
	return lineOf(text, h.Find(text))
}

func lineOf(text string, spans []index.Span) Line {
	line := Line{Text: text}
	for _, s := range spans {
		line.Matches = append(line.Matches, Match{s.Start, s.End})
	}
	return line
}

// excerptLines returns the lines of a hit's text without headings, comments and rules, and for an entry without the
// values of its template.
func excerptLines(hit retrieval.Hit) []string {
	var out []string
	section := markdown.SectionOf(hit.Heading)
	for line := range strings.SplitSeq(memory.Clean(hit.Text), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "### "); ok {
			section = name
		}
		if line == "" || isRule(line) || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") {
			continue
		}
		if hit.Kind != "" && markdown.IsTemplate(section, line) {
			continue
		}
		if cut := strings.Index(line, " <!--"); cut > 0 {
			line = line[:cut]
		}
		if hit.Kind != "" {
			line = strings.TrimSpace(memory.Clean(markdown.Unescape(line)))
		}
		if line != "" && !isRule(line) {
			out = append(out, strings.NewReplacer("\t", " ", "\n", " ").Replace(line))
		}
	}
	return out
}

// isRule reports whether a line only divides a text.
func isRule(line string) bool { return len(line) > 2 && strings.Trim(line, "-*_") == "" }

// bestWindow returns the start of the first window of most lines that matches the most distinct terms. spans has the
// matches of each line.
func bestWindow(spans [][]index.Span, most int) int {
	best, at := 0, 0
	for from := 0; from+most <= len(spans); from++ {
		terms := map[int]bool{}
		for _, line := range spans[from : from+most] {
			for _, s := range line {
				terms[s.Term] = true
			}
		}
		if len(terms) > best {
			best, at = len(terms), from
		}
	}
	return at
}

// Cut shortens the line to a number of terminal columns. It keeps the beginning, unless that would cut off the first
// match.
func (l Line) Cut(cells int) Line {
	if textwidth.Cells(l.Text) <= cells {
		return l
	}
	from, room := 0, cells-1 // for the … at the end
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

// cellsBefore returns the index up to cells columns before at.
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

// part returns a part of a line, with … at each end where text is missing.
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

// Styled returns the text of the line with style applied to its matches.
func (l Line) Styled(style func(string) string) string {
	text := l.Text
	for _, m := range slices.Backward(l.Matches) {
		text = text[:m.Start] + style(text[m.Start:m.End]) + text[m.End:]
	}
	return text
}
