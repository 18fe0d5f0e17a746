package explain

import (
	"cmp"
	"math"
	"slices"
)

// Of topics: the words that each may have even if there are many, and the number that share the
// room equally.
const leastOfTopic, equalTopics = 30, 3

// choose picks sentences of the agent's turns, up to so many words. A turn that wrote files is a
// topic. All topics share the room. If commits explain the change, only news counts.
func (p *picker) choose(explained bool, limit int) {
	turns := p.turns()
	latest := slices.Max(append(turns, -1))
	committed := explained || p.words >= enough/2
	p.answer(0, limit)
	p.talk(latest, latest+1, committed, min(limit, p.words+leastOfTopic))
	for n, turn := range p.weighed(turns) {
		share := max(leastOfTopic, (limit-p.words)/min(len(turns)-n, equalTopics))
		p.topic(turns, turn, committed, p.words+share, limit)
		if n == 0 && len(turns) > 1 && !committed {
			p.recap(turn, min(limit, p.words+leastOfTopic))
		}
	}
	p.dropOvertaken()
	p.remaining(latest, committed, limit)
	p.delivered(latest, limit)
	p.talk(latest, 0, committed, min(limit, maxCommits))
	p.found(limit)
	if !explained {
		p.fill(limit, sentence.what)
		p.found(limit)
	}
	crowded := committed && p.words > maxCommits/2
	p.fill(limit, func(s sentence) int {
		if !s.cause || s.plan || s.refers() || crowded && !p.isNewsOf(s) {
			return 0
		}
		return s.why()
	})
	p.purpose(limit)
	if len(p.order) == 0 || len(p.order) == 1 && p.list[p.order[0]].answer {
		p.fill(limit, func(s sentence) int { return points(!s.before, s.words) })
	}
}

// found picks the best cause that the agent found before its edits, if the summary gives none.
func (p *picker) found(limit int) {
	if p.causes() {
		return
	}
	said := terms(p.text())
	p.takeWhole(p.best(0, math.MaxInt, func(s sentence) int {
		fits := s.cause && !s.asked && !s.plan && !s.pending && s.words >= 5 && s.words <= 45 && share(s.terms, said) >= 0.15
		return points(fits, 1+min(s.names, 2)+points(s.before, 2)+points(s.wrote, 2))
	}), limit)
}

// turns returns the turns that wrote files.
func (p *picker) turns() (turns []int) {
	for _, s := range p.list {
		if s.wrote && !slices.Contains(turns, s.turn) {
			turns = append(turns, s.turn)
		}
	}
	return turns
}

// leastRecap is the number of results that a report of the whole work has at least.
const leastRecap = 5

// recap picks further results of a turn that reports many: they may be of the whole work.
func (p *picker) recap(turn, limit int) {
	n := 0
	for _, s := range p.list {
		n += points(s.turn == turn && s.reports(), 1)
	}
	if n >= leastRecap {
		p.fill(limit, func(s sentence) int { return points(s.turn == turn && s.reports(), s.what()) })
	}
}

// weighed returns the turns in the order in which they get room: the last one, whose statements
// hold in the end, and then those with the longest final messages.
func (p *picker) weighed(turns []int) []int {
	said := map[int]int{}
	for _, s := range p.list {
		said[s.turn] += points(s.final && !s.asked, 1)
	}
	order := slices.Clone(turns)
	last := slices.Max(append(order, -1))
	slices.SortStableFunc(order, func(a, b int) int {
		if a == last || b == last {
			return points(b == last, 1) - points(a == last, 1)
		}
		return cmp.Or(said[b]-said[a], b-a)
	})
	return order
}

// topic picks the sentence that best says what a turn did, and the one that best says why, which
// may be in the talk since the previous turn that wrote files. They fit into limit if that costs
// little, and always into most.
func (p *picker) topic(turns []int, turn int, committed bool, limit, most int) {
	i := slices.Index(turns, turn)
	from, to := 0, math.MaxInt
	if i > 0 {
		from = turns[i-1] + 1
	}
	if i+1 < len(turns) {
		to = turns[i+1] - 1
	}
	what := p.bestWithin(turn, to, limit, sentence.what)
	if committed && !p.isNews(what) {
		return
	}
	p.takeWhole(what, most)
	why := func() {
		p.takeWhole(p.bestWithin(from, turn, limit, func(s sentence) int {
			if what < 0 && !s.cause && s.names == 0 { // about something else, perhaps
				return 0
			}
			if s.turn < turn && (s.plan || what < 0 || share(p.list[what].terms, s.terms) < 0.15 && !(s.cause && s.turn == turn-1)) {
				return 0
			}
			return s.why()
		}), most)
	}
	if what >= 0 && !p.list[what].unreported {
		why()
	}
	if !committed {
		p.steps(turn, limit)
	}
	why()
}

// bestWithin returns the sentence with the highest value, or one that is nearly as good and that
// fits.
func (p *picker) bestWithin(from, to, limit int, value func(sentence) int) int {
	i := p.best(from, to, value)
	j := p.best(from, to, func(s sentence) int { return points(p.words+s.words <= limit, value(s)) })
	if j >= 0 && value(p.list[j]) >= value(p.list[i])-1 {
		return j
	}
	return i
}

// remaining picks the remaining work of the latest turn, and what earlier ones left out for a cause.
func (p *picker) remaining(latest int, committed bool, limit int) {
	for i, s := range p.list {
		if s.left && !s.before && !s.plan && s.final && (!s.open || s.cause) && s.after && (s.turn >= latest || s.cause && !committed) {
			p.take(i, limit)
		}
	}
}

// talk picks a conclusion of each turn since from that wrote no file, of the latest ones first. The talk
// before the latest change counts until there is a cause, and not if commits explain the change.
func (p *picker) talk(changed, from int, committed bool, limit int) {
	latest := changed
	for _, s := range p.list {
		latest = max(latest, s.turn)
	}
	for turn := latest; turn >= from; turn-- {
		if turn < changed && (committed || p.causes()) {
			return
		}
		p.answer(turn, limit)
		if !slices.Contains(p.turns(), turn) {
			p.takeWhole(p.best(turn, turn, func(s sentence) int {
				return points(s.cause || !committed, points(p.words+s.words <= limit, s.concludes()))
			}), limit)
		}
	}
}

// dropOvertaken drops what a turn did if a later turn did it differently.
func (p *picker) dropOvertaken() {
	p.order = slices.DeleteFunc(p.order, func(i int) bool {
		s := p.list[i]
		over := !s.commit && s.result && slices.ContainsFunc(p.order, func(j int) bool {
			later := p.list[j]
			return later.turn > s.turn && later.result && share(s.terms, later.terms) >= 0.5
		})
		if over {
			p.words -= s.words
		}
		return over
	})
}
