package markdown

import (
	"slices"
	"strings"

	"agentflow/memory/internal/outline"
)

// head is the beginning of an entry: its first line and that of its comment. An entry of version 2
// ends with its comment.
type head struct {
	start, comment int
	v2             bool
}

// isV2 reports whether the fields of an entry's comment are of version 2.
func isV2(f fields) bool { return f["v"] == "2" }

// headingGap limits the blank lines between an entry's heading and its comment.
const headingGap = 3

func (p *parser) findHeads() {
	last := -1
	for i := range p.l.Count() {
		line := p.l.Line(i)
		if outline.IsEnd(line) {
			p.ends = append(p.ends, i)
			continue
		}
		f, ok := entryComment(line)
		if !ok {
			continue
		}
		if isV2(f) {
			p.heads = append(p.heads, head{p.start2(last, i, f), i, true})
			last = i
			continue
		}
		start := i
		above := i - 1
		for above > last && i-above <= headingGap && p.l.Blank(above) {
			above--
		}
		if above > last && isHeading(p.l.Line(above), above == 0) {
			start = above
		}
		p.heads = append(p.heads, head{start, i, false})
		last = i
	}
}

// isHeading reports whether a line is an entry's heading. An editor may have put a byte order mark
// before the first line of a file.
func isHeading(line string, first bool) bool {
	if first {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	return strings.HasPrefix(line, headingPrefix)
}

// endsBefore reports whether the entry with heads[k] ends above line j.
func (p *parser) endsBefore(k, j int) bool {
	h := p.heads[k]
	if h.v2 {
		return h.comment < j
	}
	end, _ := slices.BinarySearch(p.ends, h.comment)
	return end < len(p.ends) && p.ends[end] < j
}

// start2 returns the first line of the entry with its comment on line i: the nearest heading above
// with the entry's time, or else the nearest heading. It returns i if there is no heading, or if a
// heading of level one comes first.
func (p *parser) start2(after, i int, f fields) int {
	clock := timeOf(f.value("time")).Format(heading2Time)
	nearest := -1
	for k := i - 1; k > after; k-- {
		line := p.l.Line(k)
		if nearest < 0 && strings.HasPrefix(line, "# ") {
			nearest = i
		}
		if !isHeading(line, k == 0) {
			continue
		}
		if at, ok := clockOf(strings.TrimPrefix(line, "\uFEFF")); ok && at == clock {
			return k
		}
		if nearest < 0 {
			nearest = k
		}
	}
	if nearest < 0 {
		return i
	}
	return nearest
}
