package app

import (
	"slices"
	"strings"

	"agentflow/index"
	"agentflow/memory"
)

// Highlighter shows what of a text a search matched. It may be used by several
// goroutines. The zero value highlights nothing.
type Highlighter struct{ find func(string) []index.Span }

// Line is a line of a text.
type Line struct {
	Text    string
	Matches []Match // in order; they do not overlap
}

// Match is a stretch of a line that a search matched: bytes [Start, End), on
// the borders of runes.
type Match struct{ Start, End int }

// highlighter is the Highlighter of a query and of the words that were found
// for it: a search corrects typing errors, and hits name the words they match.
func highlighter(query string, hits []memory.Hit) Highlighter {
	var terms []string
	for _, h := range hits {
		if h.Explain != nil {
			terms = append(terms, h.Explain.Terms...)
		}
	}
	slices.Sort(terms)
	return Highlighter{index.Highlighter(query + "\n" + strings.Join(slices.Compact(terms), " "))}
}

// snippetLines is how many lines of a hit are shown at most.
const snippetLines = 4

// Snippet is the part of a hit's text that tells most about the query: the
// neighbouring lines that hold the most of its terms.
func (h Highlighter) Snippet(text string) []Line {
	texts := tellingLines(text)
	spans := make([][]index.Span, len(texts))
	if h.find != nil {
		for i, line := range texts {
			spans[i] = h.find(line)
		}
	}
	from := bestWindow(spans, snippetLines)
	var lines []Line
	for i := from; i < min(from+snippetLines, len(texts)); i++ {
		line := Line{Text: texts[i]}
		for _, s := range spans[i] {
			line.Matches = append(line.Matches, Match{s.Start, s.End})
		}
		lines = append(lines, line)
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

// bestWindow is the first of the most neighbouring lines that together match
// the most distinct terms, given what each line matches.
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
