// Package explain chooses what an entry says of a run or session: what was done, why, and
// what is left, in the agent's own words. It is pure.
package explain

import (
	"math"
	"slices"
	"strings"
)

// Message is something that an agent said.
type Message struct {
	Text  string
	Turn  int  // a session's prompts begin turns; a run has one
	Final bool // it ends a turn: no tool call follows it in the turn
	Wrote bool // files were written in its turn before it

	Commit bool // it is the body of a commit's message; such messages come first, see Bodies
	Asked  bool // the person wrote it
}

// Limits of a summary, in words.
const (
	MaxWords   = 120
	plentyOf   = 90 // details are added up to here; reasons and what is left up to MaxWords
	maxCommits = 80 // of commits
)

// Summary returns what the messages explain of a change, in whole sentences, on one line and
// in at most MaxWords words: what commits say, then for each turn that wrote files what was
// done and why, then what is left. Where none of it gives a cause, the person's words follow
// that do. files are the paths that changed.
func Summary(messages []Message, files []string) string {
	p := &picker{list: parse(messages, files)}
	explained := p.commits(messages)
	turns := p.turns()
	for i, turn := range turns {
		from, to := 0, math.MaxInt
		if i > 0 {
			from = turns[i-1] + 1
		}
		if i+1 < len(turns) {
			to = turns[i+1] - 1
		}
		what := p.best(turn, to, sentence.what)
		if explained && !p.isNews(what) {
			continue
		}
		p.take(what, MaxWords)
		p.take(p.best(from, turn, func(s sentence) int {
			if s.turn < turn && (s.plan || what < 0 || share(p.list[what].terms, s.terms) < 0.15) {
				return 0
			}
			return s.why()
		}), MaxWords)
	}
	for i, s := range p.list {
		if s.left && s.final && s.after {
			p.take(i, MaxWords)
		}
	}
	if !explained {
		p.fill(plentyOf, sentence.what)
	}
	if len(p.order) == 0 {
		p.fill(MaxWords, func(s sentence) int { return s.words })
	}
	if first := slices.IndexFunc(p.list, func(s sentence) bool { return !s.asked }); len(p.order) == 0 && first >= 0 {
		return head(p.list[first].text)
	}
	if i := p.request(); i >= 0 && len(p.order) > 0 && len(files) > 0 {
		return ended(p.text()) + ` Asked: "` + p.list[i].text + `"`
	}
	return p.text()
}

// head is a sentence that is too long, cut at a word.
func head(text string) string {
	words := strings.Fields(text)
	if len(words) <= MaxWords {
		return text
	}
	return strings.Join(words[:MaxWords], " ") + "…"
}

// Explains reports whether a summary says more than that something was done: it gives a
// reason, or is long.
func Explains(summary string) bool {
	n := len(strings.Fields(summary))
	return n >= 12 && (reasons().MatchString(summary) || n >= 40)
}

// picker picks sentences while there is room.
type picker struct {
	list  []sentence
	order []int
	words int
}

// commits picks what commits say, of each a like part, and reports whether that explains the
// change.
func (p *picker) commits(messages []Message) bool {
	n, from := 0, 0
	for _, m := range messages {
		n += points(m.Commit, 1)
	}
	for i, s := range p.list {
		if !s.commit {
			break
		}
		if s.first {
			from = p.words
		}
		p.take(i, from+maxCommits/n)
	}
	return Explains(p.text())
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

// request returns the sentence of the person that says best why; -1: there is none, or a
// cause is given already.
func (p *picker) request() int {
	i := p.best(0, math.MaxInt, sentence.asks)
	if i < 0 || p.words+p.list[i].words >= MaxWords || slices.ContainsFunc(p.order, func(n int) bool { return p.list[n].cause }) {
		return -1
	}
	return i
}

// best returns the sentence of some turns with the highest value; -1: none has one.
func (p *picker) best(from, to int, value func(sentence) int) int {
	best, most := -1, 0
	for i, s := range p.list {
		if v := value(s); v > most && s.turn >= from && s.turn <= to && !s.commit {
			best, most = i, v
		}
	}
	return best
}

// fill adds what last messages say, the best first.
func (p *picker) fill(limit int, value func(sentence) int) {
	var order []int
	for i, s := range p.list {
		if s.final && value(s) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return value(p.list[b]) - value(p.list[a]) })
	for _, i := range order {
		p.take(i, limit)
	}
}

// take picks a sentence unless the summary says it already or becomes longer than so many words.
func (p *picker) take(i, limit int) {
	if i < 0 || p.words+p.list[i].words > limit || slices.Contains(p.order, i) {
		return
	}
	for _, other := range p.order {
		if share(p.list[i].terms, p.list[other].terms) >= 0.7 {
			return
		}
	}
	p.order, p.words = append(p.order, i), p.words+p.list[i].words
}

// isNews reports whether a sentence is about something that the summary does not mention.
func (p *picker) isNews(i int) bool {
	said := map[string]bool{}
	for _, other := range p.order {
		for term := range p.list[other].terms {
			said[term] = true
		}
	}
	return i >= 0 && p.list[i].names > 0 && share(p.list[i].terms, said) < 0.25
}

// text is the summary, in the order in which it was said.
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
