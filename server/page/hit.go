package page

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"agentflow/app/highlight"
	"agentflow/memory/retrieval"
)

// hit is a hit of a search for display.
type hit struct {
	retrieval.Hit
	Title line
	Lines []line // the lines that say most about the query
	Why   []reason
}

// line is a line of text in pieces.
type line struct {
	Label  string // bold label before it in Markdown: Task
	Item   bool   // it is an item of a list
	Pieces []piece
}

type piece struct {
	Text   string
	Marked bool // it matches the search
}

// reason is one part of a score.
type reason struct {
	Name, Value string
	Share       float64 // 0 to 1, for parts that are shares
	IsShare     bool
}

// dated matches the date and time before the title of an entry.
var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d( · )?`) })

// shownHit converts a hit for display. The title of an entry is its heading; a
// note has none, and gets its first line. A line that repeats the title is left
// out.
func shownHit(h retrieval.Hit, highlight highlight.Highlighter) hit {
	out := hit{Hit: h, Why: reasons(h)}
	title := h.Heading
	if h.Kind != "" {
		title = dated().ReplaceAllString(title, "")
	}
	out.Title = shownLine(highlight.Line(title))
	for _, l := range highlight.Snippet(h) {
		shown := shownLine(l)
		if out.Title.text() == "" && h.Kind != "" {
			out.Title = shown
		}
		if shown.text() != out.Title.text() {
			out.Lines = append(out.Lines, shown)
		}
	}
	return out
}

// labelled matches a label at the start of a line of Markdown, and listed the
// mark of a list item.
var (
	labelled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:- )?\*\*([A-Z][A-Za-z ]*)\*\*: `) })
	listed   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*] )`) })
)

// shownLine returns a line without leading Markdown marks, split where matches
// begin and end.
func shownLine(l highlight.Line) (out line) {
	if found := labelled().FindStringSubmatch(l.Text); found != nil {
		out.Label = found[1]
		l = behind(l, len(found[0]))
	} else if found := listed().FindString(l.Text); found != "" {
		out.Item = true
		l = behind(l, len(found))
	}
	l = l.Cut(400)
	at := 0
	for _, m := range l.Matches {
		out.Pieces = append(out.Pieces, piece{l.Text[at:m.Start], false}, piece{l.Text[m.Start:m.End], true})
		at = m.End
	}
	out.Pieces = append(out.Pieces, piece{l.Text[at:], false})
	return out
}

// behind returns the rest of a line from a byte on.
func behind(l highlight.Line, from int) highlight.Line {
	out := highlight.Line{Text: l.Text[from:]}
	for _, m := range l.Matches {
		if m.Start >= from {
			out.Matches = append(out.Matches, highlight.Match{Start: m.Start - from, End: m.End - from})
		}
	}
	return out
}

// text returns the text of the line.
func (l line) text() string {
	var b strings.Builder
	for _, p := range l.Pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// reasons returns the parts of a score, in words.
func reasons(h retrieval.Hit) (list []reason) {
	e := h.Explain
	if e == nil {
		return nil
	}
	share := func(name string, v float64) {
		list = append(list, reason{name, strconv.FormatFloat(v, 'f', 2, 64), min(max(v, 0), 1), true})
	}
	factor := func(name, sign string, v float64) {
		list = append(list, reason{name, sign + " " + strconv.FormatFloat(v, 'f', 2, 64), 0, false})
	}
	factor("Words (BM25)", "=", e.BM25)
	share("Words, relative to the best hit", e.Keyword)
	share("Meaning, relative to the best hit", e.Vector)
	share("Share of the query's weight", e.Mass)
	share("Score: the chance that it is of use", h.Score)
	factor("Age", "×", e.Decay)
	factor("Importance", "×", e.Importance)
	if e.Judgement != 1 {
		factor("Was of no use before", "×", e.Judgement)
	}
	if e.Files != 0 {
		factor("Its files", "+", e.Files)
	}
	factor("Rank score", "=", h.RankScore)
	return list
}
