package explain

import (
	"cmp"
	"slices"
	"strings"
)

// picker picks sentences while there is room.
type picker struct {
	list  []sentence
	order []int
	words int
}

// causes reports whether the summary gives a cause.
func (p *picker) causes() bool {
	return slices.ContainsFunc(p.order, func(i int) bool { return p.list[i].cause })
}

// best returns the sentence of some turns with the highest value; -1: none has one.
func (p *picker) best(from, to int, value func(sentence) int) int {
	best, most := -1, 0
	for i, s := range p.list {
		if v := value(s); v > most && s.turn >= from && s.turn <= to && !s.commit && !s.planned {
			best, most = i, v
		}
	}
	return best
}

// fill adds sentences of the last messages, the best first.
func (p *picker) fill(limit int, value func(sentence) int) {
	var order []int
	values := map[int]int{}
	for i, s := range p.list {
		if s.final && s.after {
			if values[i] = value(s); values[i] > 0 {
				order = append(order, i)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(values[b]-values[a], p.list[b].turn-p.list[a].turn) })
	for _, i := range order {
		p.take(i, limit)
	}
}

// take picks a sentence unless the summary already contains it, lacks the one that it refers
// to, or becomes longer than so many words.
func (p *picker) take(i, limit int) {
	if i < 0 || p.words+p.list[i].words > limit || slices.Contains(p.order, i) {
		return
	}
	if p.list[i].first && !p.list[i].commit && answers(p.list[i].text) {
		return
	}
	if s := p.list[i]; (s.refers() || s.nth > 0 && s.commit && s.words < 5) && !slices.Contains(p.order, i-1) {
		return
	}
	for _, other := range p.order {
		if share(p.list[i].terms, p.list[other].terms) >= 0.7 {
			return
		}
	}
	p.order, p.words = append(p.order, i), p.words+p.list[i].words
}

// takeWhole picks a sentence with the one that it refers to, if there is room for both.
func (p *picker) takeWhole(i, limit int) {
	if i > 0 && p.list[i].refers() && !p.list[i].first && !p.list[i-1].plan && p.words+p.list[i-1].words+p.list[i].words <= limit {
		p.take(i-1, limit)
	}
	p.take(i, limit)
}

// isNews reports whether a sentence is about something that the summary does not mention.
func (p *picker) isNews(i int) bool { return i >= 0 && p.isNewsOf(p.list[i]) }

func (p *picker) isNewsOf(s sentence) bool {
	return s.names > 0 && share(s.terms, terms(p.text())) < 0.25
}

// text returns the summary, in the order of the messages.
func (p *picker) text() string {
	slices.Sort(p.order)
	var parts []string
	for n, i := range p.order {
		if parts = append(parts, p.list[i].text); n+1 < len(p.order) {
			parts[n] = ended(parts[n])
		}
	}
	return strings.Join(parts, " ")
}
