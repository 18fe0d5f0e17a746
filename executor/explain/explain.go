// Package explain chooses what an entry says about a run or session: what was done, why, and
// the remaining work, in the agent's own words. It is pure.
//
// It uses the commits' messages first, then for each turn that wrote files the sentence that
// best describes the change and the one that best gives the reason, then the remaining work:
// whole sentences, at most 120 words. If none of it gives a reason, the user's words are quoted.
// If nothing explains anything, it uses the last commit's subject. The agent's final message is
// not quoted because it is last.
package explain

import (
	"math"
	"slices"
	"strings"
)

// Message is one message of an agent or a person.
type Message struct {
	Text  string
	Turn  int  // a session's prompts begin turns; a run has one
	Final bool // it ends a turn: no tool call follows it in the turn
	Wrote bool // files were written in its turn before it

	Commit bool // it is a commit's message; such messages come first, see Commits
	Asked  bool // the person wrote it
}

// Limits of a summary, in words.
const (
	MaxWords   = 120
	plentyOf   = 90  // details are added up to here; reasons and remaining work up to MaxWords
	maxCommits = 100 // of commits
	enough     = 40  // of one of several commits
)

// Summary returns the messages' explanation of a change, in whole sentences, on one line and
// in at most MaxWords words. First are the sentences of commits, then for each turn that wrote
// files what was done and why, then the remaining work. If none of them gives a cause, a
// person's words that give one come first, or last if commits give a reason. files are the
// changed paths.
func Summary(messages []Message, files []string) string {
	p := &picker{list: parse(messages, files)}
	explained := p.commits(messages)
	reasoned := reasons().MatchString(p.text())
	asked, planned := p.request(files, explained)
	begun := picker{p.list, slices.Clone(p.order), p.words}
	p.choose(explained, MaxWords-1-count(asked))
	if asked == "" || p.causes() && (!planned || share(terms(asked), terms(p.text())) >= 0.6) {
		begun.choose(explained, MaxWords)
		return begun.orBeginning()
	}
	quote := `Asked: "` + asked + `"`
	if reasoned {
		return ended(p.text()) + " " + quote
	}
	return strings.TrimSpace(quote + " " + p.text())
}

// choose picks sentences of the messages, up to so many words.
func (p *picker) choose(explained bool, limit int) {
	turns, last := p.turns(), -1
	latest := slices.Max(append(turns, -1))
	if explained || p.words >= enough/2 { // then commits explain earlier turns
		last = latest
	}
	for i, turn := range turns {
		if turn < last {
			continue
		}
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
		p.take(what, limit)
		p.take(p.best(from, turn, func(s sentence) int {
			if s.turn < turn && (s.plan || what < 0 || share(p.list[what].terms, s.terms) < 0.15 && !(s.cause && s.turn == turn-1)) {
				return 0
			}
			return s.why()
		}), limit)
	}
	for i, s := range p.list {
		if s.left && !s.plan && s.final && s.after && s.turn >= last && (s.turn >= latest || s.cause) {
			p.take(i, limit)
		}
	}
	if !explained {
		p.fill(min(plentyOf, limit), sentence.what)
	}
	if len(p.order) == 0 {
		p.fill(limit, func(s sentence) int { return s.words })
	}
}

// orBeginning returns the summary, or else the beginning of the agent's first sentence.
func (p *picker) orBeginning() string {
	first := slices.IndexFunc(p.list, func(s sentence) bool { return !s.asked })
	if len(p.order) > 0 || first < 0 {
		return p.text()
	}
	words := strings.Fields(p.list[first].text)
	if len(words) <= MaxWords {
		return p.list[first].text
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

// turns returns the turns that wrote files.
func (p *picker) turns() (turns []int) {
	for _, s := range p.list {
		if s.wrote && !slices.Contains(turns, s.turn) {
			turns = append(turns, s.turn)
		}
	}
	return turns
}

// request returns the person's sentence that best says why the files changed. It is empty if there
// is none, or if a cause is already given. Planned reports that it is the context of a plan, as much as fits.
func (p *picker) request(files []string, explained bool) (text string, planned bool) {
	i := p.best(0, math.MaxInt, sentence.asks)
	if i < 0 || len(files) == 0 || p.causes() || explained && !p.list[i].context {
		return "", false
	}
	quote := p.quote(i)
	for j := i + 1; j < len(p.list) && p.list[j].context && !quote.causes() && !reasons().MatchString(quote.text()); j++ {
		if later := p.quote(j); later.causes() {
			quote = later
		}
	}
	return strings.ReplaceAll(quote.text(), `"`, "'"), p.list[i].context
}

// quote picks a sentence of the person and, of a plan's context, those behind it that fit.
func (p *picker) quote(i int) *picker {
	quote, room := &picker{list: p.list}, min(maxQuoted, MaxWords-1-p.words)
	quote.take(i, room)
	for i++; i < len(p.list) && p.list[i].context && quote.words+p.list[i].words <= room; i++ {
		quote.take(i, room)
	}
	return quote
}

// causes reports whether the summary gives a cause.
func (p *picker) causes() bool {
	return slices.ContainsFunc(p.order, func(i int) bool { return p.list[i].cause })
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

// fill adds sentences of the last messages, the best first.
func (p *picker) fill(limit int, value func(sentence) int) {
	var order []int
	for i, s := range p.list {
		if s.final && s.after && value(s) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return value(p.list[b]) - value(p.list[a]) })
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
	if s := p.list[i]; s.nth > 0 && (depends(s.text) || s.commit && s.words < 5) && !slices.Contains(p.order, i-1) {
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
	return i >= 0 && p.list[i].names > 0 && share(p.list[i].terms, terms(p.text())) < 0.25
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
