// Package explain chooses what an entry says of a run or session: what was done, why, and
// what is left, in the agent's own words. It is pure.
package explain

import (
	"slices"
	"strings"
	"unicode"
)

// Message is something that an agent said.
type Message struct {
	Text  string
	Turn  int  // a session's prompts begin turns; a run has one
	Final bool // it ends a turn: no tool call follows it in the turn
	Wrote bool // files were written in its turn before it

	Commit bool // it is of a commit; such messages come first, see Bodies
}

// Limits of a summary, in words.
const (
	MaxWords  = 120
	plentyOf  = 90 // details are added up to here; reasons, decisions and what is left up to MaxWords
	minReason = 5
	maxReason = 45
	thin      = 12 // a report that is shorter gets the advice that it follows
)

// Summary returns what the messages explain of a change, in whole sentences, on one line and
// in at most MaxWords words: what commits say, or of each turn that wrote files what was
// done and why, then what was decided and what is left. files are the paths that changed.
func Summary(messages []Message, files []string) string {
	said := parse(messages, files)
	p := &picker{said: said, taken: make([]bool, len(said)), room: MaxWords}
	turns, explained := said.turns(), p.commits()
	for _, t := range turns {
		i := said.lead(t)
		if explained && !said.isNews(i) || !p.take(i, MaxWords) || said[i].cause {
			continue
		}
		if why := said.reason(t); why >= 0 || said[i].words > thin {
			p.take(why, MaxWords)
		} else {
			p.take(said.advice(t), MaxWords)
		}
	}
	p.takeAll(MaxWords, func(s sentence) bool {
		left := s.open || s.fails
		return !s.loose && (s.reports && s.final && (left || s.rejects && !(explained && s.what)) || s.after && left && !s.plan)
	})
	for _, t := range turns {
		if !explained {
			p.fill(t)
			p.aim(t)
		}
	}
	if len(p.order) == 0 {
		p.weightiest()
	}
	if len(p.order) == 0 && len(said) > 0 {
		return head(said[0].text)
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
// reason, or decides something.
func Explains(summary string) bool {
	n := len(strings.Fields(summary))
	return n >= 12 && (isMatch(reasons, summary) || isMatch(rejected, summary) || n >= 40)
}

// sentences are all that messages say, in their order.
type sentences []sentence

// turns returns the turns that reported something, those that said most first. Where none
// wrote files, the turns that ended with words are.
func (list sentences) turns() (turns []int) {
	weight := map[int]int{}
	for _, s := range list {
		if s.reports {
			weight[s.turn] += s.weight()
		}
	}
	for t := range weight {
		turns = append(turns, t)
	}
	slices.SortFunc(turns, func(a, b int) int {
		if d := weight[b] - weight[a]; d != 0 {
			return d
		}
		return a - b
	})
	return turns
}

// lead is the sentence that says what a turn did; -1: none does. The turn's last message
// comes before others.
func (list sentences) lead(turn int) int {
	best, value := -1, 0
	for i, s := range list {
		if s.turn != turn || !s.reports {
			continue
		}
		if v := s.leads(); v > value || v == value && best >= 0 && s.message != list[best].message {
			best, value = i, v
		}
	}
	return best
}

// reason is the sentence that says why a turn did what it did: of the turn itself, or of
// the talk before it; -1: none does.
func (list sentences) reason(turn int) int {
	from := list.talk(turn)
	best, value := -1, 0
	for i, s := range list {
		if s.turn < from || s.turn > turn {
			continue
		}
		if s.turn != turn && (s.loose || s.plan || !list.shares(s, turn) || !isMatch(strong, s.text) || isMatch(answers, s.text)) {
			continue
		}
		if v := s.explains() * (1 + points(s.turn == turn, 1)); v > value || v == value && v > 0 && !s.reports {
			best, value = i, v
		}
	}
	return best
}

// shares reports whether a sentence has a longer word in common with what a turn reports.
func (list sentences) shares(s sentence, turn int) bool {
	return slices.ContainsFunc(list, func(other sentence) bool {
		return other.turn == turn && other.reports && other.final && common(other.text, s.text)
	})
}

func common(a, b string) bool {
	words := longWords(a)
	return slices.ContainsFunc(longWords(b), func(w string) bool { return slices.Contains(words, w) })
}

// longWords are the words of at least five letters of a text, in the singular.
func longWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "s")
	}
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < 5 })
}

// advice is the last advice in the talk before a turn, other than for one of several named
// options, of which the person may have taken another; -1: none.
func (list sentences) advice(turn int) int {
	from, last := list.talk(turn), -1
	for i, s := range list {
		if s.turn >= from && s.turn < turn && isMatch(advises, s.text) && !isMatch(choice, s.text) {
			last = i
		}
	}
	return last
}

// talk is the first of the turns right before a turn that wrote nothing, or the turn itself.
func (list sentences) talk(turn int) int {
	from := 0
	for _, s := range list {
		if s.turn < turn && s.wrote {
			from = s.turn + 1
		}
	}
	return from
}

// picker picks sentences while there is room.
type picker struct {
	said  sentences
	taken []bool
	order []int
	room  int
}

// take picks a sentence unless the summary becomes longer than so many words.
func (p *picker) take(i, limit int) bool {
	if i < 0 || p.taken[i] || MaxWords-p.room+p.said[i].words > limit || p.has(p.said[i]) {
		return i >= 0 && p.taken[i]
	}
	p.taken[i] = true
	p.order = append(p.order, i)
	p.room -= p.said[i].words
	return true
}

// fill adds what a turn's last message says beyond that, the best first.
func (p *picker) fill(turn int) {
	var rest []int
	for i, s := range p.said {
		if s.turn == turn && s.final && s.reports && !s.tests && !s.loose {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return p.said[b].leads() - p.said[a].leads() })
	for _, i := range rest {
		p.take(i, plentyOf)
	}
}

// weightiest picks two sentences that say most, where none reports a change.
func (p *picker) weightiest() {
	order := make([]int, len(p.said))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.said[b].weight() - p.said[a].weight() })
	for _, i := range order {
		if len(p.order) < 2 {
			p.take(i, MaxWords)
		}
	}
}

// aim adds what a turn set out to do, where its messages name nothing that they changed.
func (p *picker) aim(turn int) {
	last := -1
	for i, s := range p.said {
		if s.turn == turn && s.what && s.names && !s.aims && p.taken[i] {
			return
		}
		if s.turn == turn && s.aims && s.names {
			last = i
		}
	}
	p.take(last, plentyOf)
}

func (p *picker) takeAll(limit int, wanted func(sentence) bool) {
	for i, s := range p.said {
		if wanted(s) {
			p.take(i, limit)
		}
	}
}

// has reports whether the summary says what a sentence says: most of its words are there.
func (p *picker) has(s sentence) bool {
	for _, i := range p.order {
		if alike(p.said[i].text, s.text) {
			return true
		}
	}
	return !s.commit && !s.fails && covers(p.said.committed(), s.text, 2)
}

// text is the summary, in the order in which it was said.
func (p *picker) text() string {
	slices.Sort(p.order)
	var parts []string
	for n, i := range p.order {
		if parts = append(parts, p.said[i].text); n+1 < len(p.order) {
			parts[n] = ended(parts[n])
		}
	}
	return strings.Join(parts, " ")
}

// alike reports whether at least four of five words of a sentence are in another.
func alike(other, text string) bool {
	has := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(other)) {
		has[strings.Trim(w, ".,;:`()")] = true
	}
	n, words := 0, strings.Fields(strings.ToLower(text))
	for _, w := range words {
		if has[strings.Trim(w, ".,;:`()")] {
			n++
		}
	}
	return n*5 >= len(words)*4
}
