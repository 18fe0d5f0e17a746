package page

import (
	"context"
	"strconv"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/memory"
)

// searchPage is the view Search.
type searchPage struct {
	Query, Kind, Type, Tag, Path, Branch, Since, Until string
	Filtered                                           bool // some filter is set
	Hits                                               []hit
	More                                               int // the limit that shows more; 0: these are all
}

// hit is something that was found.
type hit struct {
	memory.Hit
	Lines []line // that tell most about the query
	Why   []reason
}

// InMemory says that the hit stands in a file that the view Memory shows.
func (h hit) InMemory() bool {
	return strings.HasPrefix(strings.TrimPrefix(h.Path, "global:"), "memory/")
}

// line is text in pieces.
type line []piece

type piece struct {
	Text   string
	Marked bool // the search matched it
}

// reason is one part of a score.
type reason struct {
	Name, Value string
	Share       float64 // 0 to 1, of parts that are shares
	IsShare     bool
}

const (
	someHits = 20
	mostHits = 100
	maxWords = 16 << 10 // bytes of a query
)

func search(ctx context.Context, q request) (a answer, err error) {
	p := searchPage{Query: q.get("q"), Kind: q.get("kind"), Type: q.get("type"), Tag: q.get("tag"), Path: q.get("path"), Branch: q.get("branch"), Since: q.get("since"), Until: q.get("until")}
	a.Title = "Search"
	filter := memory.Filter{Kind: memory.Kind(p.Kind), Type: memory.FactType(p.Type), Tag: p.Tag, Path: p.Path, Branch: p.Branch}
	if filter.Since, filter.Until, err = period(p.Since, p.Until); err != nil {
		return a, err
	}
	p.Filtered = filter != memory.Filter{}
	if p.Query == "" {
		a.Data = p
		return a, nil
	}
	if len(p.Query) > maxWords {
		return a, usagef("a query has at most %d bytes", maxWords)
	}
	limit := someHits
	if n, err := strconv.Atoi(q.get("limit")); err == nil {
		limit = min(max(n, 1), mostHits)
	}
	res, err := q.Memory.Search(ctx, app.SearchRequest{Text: p.Query, Filter: filter, Limit: limit, Explain: true, Typing: q.values.Has("typing")})
	if err != nil {
		return a, err
	}
	for _, h := range res.Hits {
		p.Hits = append(p.Hits, hit{h, lines(res.Highlight.Snippet(h.Text)), reasons(h.Explain)})
	}
	if len(p.Hits) == limit && limit < mostHits {
		p.More = min(limit*3, mostHits)
	}
	a.Data, a.Degraded = p, res.Degraded
	a.Title = "Search: " + memory.Title(p.Query)
	return a, nil
}

// lines cuts lines where matches begin and end.
func lines(list []app.Line) (out []line) {
	for _, l := range list {
		l = l.Cut(400)
		var pieces line
		at := 0
		for _, m := range l.Matches {
			pieces = append(pieces, piece{l.Text[at:m.Start], false}, piece{l.Text[m.Start:m.End], true})
			at = m.End
		}
		out = append(out, append(pieces, piece{l.Text[at:], false}))
	}
	return out
}

// reasons are the parts of a score, in words.
func reasons(e *memory.Explain) (list []reason) {
	if e == nil {
		return nil
	}
	share := func(name string, v float64) {
		list = append(list, reason{name, strconv.FormatFloat(v, 'f', 2, 64), min(max(v, 0), 1), true})
	}
	factor := func(name, sign string, v float64) {
		list = append(list, reason{name, sign + " " + strconv.FormatFloat(v, 'f', 2, 64), 0, false})
	}
	share("Words, beside the best hit", e.Keyword)
	share("Meaning, beside the best hit", e.Vector)
	share("Share of the query's weight", e.Mass)
	factor("Age", "×", e.Decay)
	factor("Importance", "×", e.Importance)
	if e.Judgement != 1 {
		factor("Was of no use before", "×", e.Judgement)
	}
	if e.Files != 0 {
		factor("Its files", "+", e.Files)
	}
	return list
}

// period reads two days; the second one is inside.
func period(since, until string) (from, to time.Time, err error) {
	if from, err = day(since); err != nil {
		return from, to, err
	}
	if to, err = day(until); err == nil && until != "" {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}

func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return t, usagef("%q is no day: want one such as 2026-11-21", memory.Clean(text))
	}
	return t, nil
}
