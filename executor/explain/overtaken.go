package explain

import (
	"slices"
	"strings"
)

// overtake marks the problems that the agent found before the last edits, and before it went
// on in a turn: they are no outcome. It drops what was said before the person asked for another way,
// and how something was that a later turn changed.
func (r *reader) overtake() {
	r.drop(func(s sentence) bool {
		return !s.asked && !s.commit && s.turn < r.wrote && slices.Contains(r.objected, s.turn)
	})
	for _, d := range r.disputed {
		if slices.ContainsFunc(r.list, func(s sentence) bool { return s.turn == d.turn && s.wrote }) {
			r.drop(func(s sentence) bool {
				return !s.asked && !s.commit && s.turn == d.turn-1 && (s.step || share(d.terms, s.terms) >= 0.2 && share(s.terms, d.terms) >= 0.1)
			})
		}
	}
	for _, turn := range r.revised {
		r.drop(func(s sentence) bool {
			return !s.asked && !s.commit && s.turn == turn-1 && s.wrote && slices.ContainsFunc(r.list, func(later sentence) bool {
				return later.turn == turn && later.wrote && !later.asked && share(s.terms, later.terms) >= 0.35
			})
		})
	}
	r.drop(r.changedLater)
	for i := range r.list {
		s := &r.list[i]
		if r.planning || s.asked || s.commit || s.step || !s.problem() || r.isLast(*s) {
			continue
		}
		s.reason = s.reason && (s.cause || strings.Contains(s.text, ", so ") || s.last && problems().MatchString(s.text))
		s.before, s.text = true, "Before: "+upper(problem().ReplaceAllString(s.text, ""))
		s.words = count(s.text)
	}
}

// pass drops how it was for a moment of the work.
func (r *reader) pass() {
	r.drop(func(s sentence) bool {
		return !s.asked && !s.commit && !s.step && !r.isLast(s) && passes().MatchString(s.text)
	})
}

// changedLater reports whether a sentence of an answer says how something is that a later turn
// changed: it names a function that a later turn names when it says what it did.
func (r *reader) changedLater(s sentence) bool {
	if !s.answer || s.turn >= r.wrote || s.result || s.plan || past().MatchString(s.text) || wishes().MatchString(s.text) {
		return false
	}
	for _, name := range function().FindAllString(s.text, -1) {
		if slices.ContainsFunc(r.list, func(later sentence) bool {
			return later.turn > s.turn && (later.wrote || later.commit) && !later.asked && strings.Contains(later.text, name)
		}) {
			return true
		}
	}
	return false
}

// isLast reports whether nothing was done after a sentence.
func (r *reader) isLast(s sentence) bool { return s.turn >= r.wrote && s.last }

// problem reports whether a sentence says that something is wrong. One that says what was done,
// what the work does, or why something is not done, does not.
func (s sentence) problem() bool {
	text := passive().ReplaceAllString(quoted().ReplaceAllString(s.text, ""), "")
	switch {
	case undone().MatchString(text):
		return true
	case past().MatchString(text), describes().MatchString(text), s.final && s.wrote && ofFile().MatchString(s.text):
		return false
	case labelled().MatchString(text):
		return true
	}
	return !results().MatchString(text) && (problems().MatchString(text) || lacks().MatchString(text) && !rationale().MatchString(text))
}

// withoutTakenBack leaves out sentences that a later one takes back.
func withoutTakenBack(list []sentence) []sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool {
		return slices.ContainsFunc(list, func(later sentence) bool {
			return later.turn > s.turn && (later.back && !s.back && share(s.terms, later.terms) >= 0.5 || later.removes(s))
		})
	})
}

// removes reports whether a sentence says that something is removed that the earlier one s added.
func (later sentence) removes(s sentence) bool {
	if later.asked || s.commit || !s.result || removal().MatchString(s.text) {
		return false
	}
	for _, m := range removal().FindAllStringSubmatch(later.text, -1) {
		if strings.Contains(s.text, m[2]) {
			return true
		}
	}
	return false
}

var (
	quoted    = lazy("`[^`]*`|\"[^\"]*\"|\\([^()]*\\)")
	undone    = lazy(`(?i)\b((was|were)(n't| not)|never) (\w+ly )?(applied|handled|called|checked|set|updated|included|covered|wired|passed|implemented|supported|propagated|persisted)\b`)
	past      = lazy(`(?i)\b(was|were|had|wasn't|weren't|didn't|couldn't)\b`)
	passes    = lazy(`(?i)\bI (have|had)(n't| not)\b.*\byet\b|^leaving \b.*\buncommitted|^ready (for you )?to (commit|merge|push|review)\b|^i need to |^current state\b|^there are (actually )?\w+ (other |more )?(places?|spots?|callers?|occurrences?|usages?)\b|\bdiagnostics? (is|are|was|were|may|show|shows|about|from|from the|you see|seems?)\b|^(the |these |those )?(\w+ )?diagnostics?\b|\bcompil(er|ation) errors\b`) // how it was for a moment of the work
	describes = lazy(`\b(Ensures|Verifies)\b|^(Adds|Allows|Covers|Creates|Detects|Ensures|Handles|Prevents|Provides|Supports|Uses|Validates|Verifies)\b|^(This|It|That|The (new )?(check|comment|function|helper|message|test))( now| also| will)* (allow|cover|ensure|explain|help|prevent|provide|verif)(s|y|ies)?\b`)                                                                                                          // the work, not what was wrong
	lacks     = lazy(`(?i)\b(doesn't|don't|do(es)? not|isn't|(is|are) not|aren't|can't|cannot|lacks?|needs?)\b`)
	rationale = lazy(`(?i)\b(since|because|but|(isn't|not) the (problem|issue|cause|bug))\b|\S (when|if|unless)\b`)
	labelled  = lazy(`(?i)^((the )?(actual |real )?(root )?(problem|issue|cause|bug)s?( is that|:)|\w+ (more )?(issue|problem|bug|thing)s? (to|that need)\b|.*\b(is|are) silently\b)`)
	ofFile    = lazy("^`[^` ]+`( \\([^)]*\\))? (—|–|-|--) ") // what changed in a file
	function  = lazy(`\b\w+\(\)`)
	wishes    = lazy(`(?i)\b(should|could|would|will|can|must|might|may)\b`)
	problem   = lazy(`(?i)^((the )?(actual |real )?(root )?(problem|issue|cause|bug)s?( (is|was) that|:)|this is an? (bug|issue|problem) [—–-]) `)
	objects   = lazy(`(?i)\bany (other|better) (option|way|approach|idea|alternative)s?\b`)
	disputes  = lazy(`(?i)^(but|hmm+|no|nope|wait|actually|why (not|did|do|are|is)|isn't|shouldn't|not|that's not|this is not|i (don't|do not) (like|want|think)|i'?d (rather|prefer)|let's (not|rather|undo)|can we (rather|instead))\b`)
	revises   = lazy(`(?i)\b(rather|(change|rename|move|make|put) (it|this|that|them)|renam(e|ing)|wouldn't it be better|should(n't| not) be|not needed|too (wide|long|much|narrow|short)|wider|shorter|simplif(y|ied)|let's (use|not)|can (you|we) (use|not|change|rename|move)|(is|isn't) there (a|any) way to (not|avoid|drop|shorten))\b`)
	removal   = lazy("(?i)\\b(remov(?:ed|es|ing)|revert(?:ed|s|ing)|dropp(?:ed|ing)|replac(?:ed|es|ing)|instead of)(?: the)? (`[^`]+`)")
)
