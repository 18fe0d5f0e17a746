package explain

import (
	"slices"
	"strings"
)

// announced returns the last change that a message announces, as a request: "Let me fix `Open` by
// creating the folder:" gives "Fix `Open` by creating the folder." One that names the thing that
// changes is better. It is empty if there is none.
func announced(text string) (step string) {
	for _, b := range blocks(text) {
		for _, s := range split(b.text) {
			if at := announces().FindStringSubmatchIndex(s); at != nil && !passing().MatchString(s[at[2]:]) && !pronouns().MatchString(s[at[2]:]) {
				if last := ended(upper(s[at[2]:])); step == "" || isVague(step) || !isVague(last) {
					step = last
				}
			}
		}
	}
	return step
}

// isVague reports whether an announcement does not name the thing that changes.
func isVague(s string) bool {
	return vague().MatchString(s) && !strings.Contains(s, " by ") && !purpose().MatchString(s) && !(strings.Contains(s, " with ") && strings.Contains(s, "`"))
}

// steps picks the changes that a turn announced and made, if it did not say what it did. They are
// the only words about it. The first one counts most, then the last ones, and those about tests least.
func (p *picker) steps(turn, limit int) {
	var order []int
	for i, s := range p.list {
		if s.step && !s.planned && s.turn == turn && s.words >= bare && !isVague(s.text) && !p.reported(i) {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		if i := slices.IndexFunc(p.list, func(s sentence) bool { return s.step && !s.planned && s.turn == turn }); i >= 0 && !p.reported(i) {
			p.take(i, limit)
		}
	}
	room := maxSteps
	if slices.ContainsFunc(p.order, func(i int) bool { return p.list[i].turn == turn && p.list[i].reports() }) {
		room /= 2
	}
	most := min(limit, p.words+room)
	if len(order) > 0 {
		slices.Reverse(order[1:])
		p.takeWhole(order[0], most)
		p.finding(order[0], most)
	}
	for _, tests := range []bool{false, true} {
		for _, i := range order {
			if p.list[i].test == tests {
				p.takeWhole(i, most)
			}
		}
	}
}

// reported reports whether a message behind an announced change says what was done, before the
// person says something else.
func (p *picker) reported(step int) bool {
	for _, s := range p.list[step+1:] {
		if s.asked || s.turn != p.list[step].turn {
			return false
		}
		if s.reports() {
			return true
		}
	}
	return false
}

// reports reports whether a sentence says at the end of a turn what was done.
func (s sentence) reports() bool {
	return s.final && !s.open && s.result && !s.step && !s.pending && !s.asked
}

// finding picks the sentence before an announced change in its message, which is the reason for it.
func (p *picker) finding(step, limit int) {
	if s := p.list[step]; step > 0 && !s.first && p.list[step-1].turn == s.turn && !p.list[step-1].asked {
		p.take(step-1, limit)
	}
}

// maxSteps limits the announced changes of a turn, in words.
const maxSteps = 60

// bare is the number of words that a step needs to say more than the name of a file, as "Update `open.go`." does.
const bare = 3

var (
	announces = lazy(`(?i)^(?:.{0,60}(?:[,.:;!—–-]|\band\b|\bso\b) )?(?:now,? |next,? |then,? |first,? |also,? )*(?:i'll|i will|i'm going to|i am going to|i(?: also| now)? need to|i(?: also)? have to|i should|i can|we(?: also)? need to|let me|let's|(?:the )?fix(?: is|:)(?: to)?|now [a-z]?\d{1,3}(?: [-–—]|:)|now|next|then)(?: also| now| just| first| simply| then| quickly| go ahead and| proceed to)* ((?:add|address|allow|append|apply|bump|change|clean up|clear|consolidate|convert|correct|create|define|delete|disable|document|drop|enable|exclude|expand|export|extend|extract|fix|handle|implement|improve|include|inline|insert|integrate|introduce|make|mark|merge|migrate|move|parse|pass|port|put|refactor|reduce|remove|rename|reorder|replace|resolve|restore|restrict|restructure|return|revert|rewrite|scan|set|show|simplify|skip|split|stop|store|strengthen|switch|tighten|turn|undo|unify|update|use|wire|wrap|write)\b.*)`)
	pronouns  = lazy(`(?i)^[a-z]+( up)?( (it|this|that|them|these|those|both|all|everything)( too| now| first| as well)?)?\W*$`)
	vague     = lazy(`(?i)^[a-z]+( up)? ((it|this|that|them|these|those|both|all|everything)\b|(the |all )?((remaining|other|new|same|lint|failing|key|first|second|last|next) )*(changes?|occurrences?|places?|callers|usages?|call sites|references|plan|issues?|errors?|bugs?|problems?|tests?|code|files?|fix(es)?|report|summary|things?|logic|comment)( \d+)?\W*$)`)
	purpose   = lazy(`\bto (only|also|use|not|include|return|check|match|look|stop|pass|handle|call)\b`)
	passing   = lazy(`(?i)^(revert|undo) (my|this|that)\b|\b(todos?|debug\w*|temporar(y|ily)|print statements?|tasks? to track|the plan|(implementation|design) (plan|doc(ument)?)|(report|summary|plan)\W*$|^(create|add|write|append|replace) (the|a|an|new)( (entire|new|whole))?( test)? (tests?|file|test file)\b[^\x60]*$|to match\W*$|my edits|and (then )?run|plan (file|mode)|test repo|summary document|to verify|(simple|quick|small|lightweight|focused|minimal) (\w+ )?(test|script|program|check|example)|imports?)\b`)
)

// delivered picks what became of the work in the end: pushed, merged or published.
func (p *picker) delivered(latest, limit int) {
	for i, s := range p.list {
		if s.delivered && s.final && !s.asked && !s.commit && !s.plan && s.turn >= latest && s.words <= maxDelivered {
			p.take(i, limit)
		}
	}
}

const maxDelivered = 35
