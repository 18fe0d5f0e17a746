package explain

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// sentence is a sentence of a message, with those behind it that depend on it.
type sentence struct {
	text  string
	terms map[string]bool // its longer words
	words int
	turn  int
	nth   int // of its paragraph; of an item one more

	final, wrote, commit, first bool // of its message; first: it begins the message. Where no tool wrote files, commands may have
	after                       bool // files were written before, in this turn or an earlier one

	result, reason, cause, plan, left, test, back bool
	asked, context                                bool // the person wrote it; context: to say why a plan is needed
	names                                         int  // files and identifiers that it names
}

// what rates how well a sentence says what was done; 0: not at all.
func (s sentence) what() int {
	n := points(s.final, 4) + points(s.result, 4) + min(s.names, 2) + points(s.reason, 2) + points(s.first, 1)
	n -= points(!s.wrote, 5) + points(s.test, 4) + points(s.plan, 3) + points(s.words < 4 || s.words > 45, 3)
	if s.asked || !s.final && !s.result {
		return 0
	}
	return n
}

// why rates how well a sentence says why; 0: not at all.
func (s sentence) why() int {
	if s.asked || !s.reason || s.words < 5 || s.words > 45 || !s.final && s.wrote {
		return 0
	}
	return 2 + points(s.cause, 1) + points(s.final && s.wrote, 3) + min(s.names, 2) - points(s.plan, 1) - points(s.test, 2)
}

// asks rates how well a sentence of the person says why; 0: not at all. The first sentence is
// already the title, and a line of a log is no sentence.
func (s sentence) asks() int {
	if s.context {
		return points(s.words > 4 && s.words <= maxQuoted, 2)
	}
	said := s.words > 9 && s.words <= maxQuoted && !strings.ContainsAny(s.text, "?=%$→") && unicode.IsLetter([]rune(s.text)[0])
	return points(said && s.asked && s.cause && (s.words > 20 || !s.first), 1)
}

// Of a request, sentences in which its reason is looked for, and words that are quoted.
const maxAsked, maxQuoted = 8, 55

func parse(messages []Message, files []string) (list []sentence) {
	var names []string
	tests := 0
	for _, f := range files {
		names = append(names, path.Base(f), strings.TrimSuffix(path.Base(f), path.Ext(f)))
		tests += points(strings.Contains(f, "test"), 1)
	}
	byCommands := !slices.ContainsFunc(messages, func(m Message) bool { return m.Wrote })
	after, last := false, -1 // last: the turn that wrote files last
	for _, m := range messages {
		if m.Wrote = m.Wrote || byCommands && m.Final && !m.Commit; m.Wrote {
			after, last = true, m.Turn
		} else if m.Turn > last && undoes(m.Text) {
			list = slices.DeleteFunc(list, func(s sentence) bool { return s.turn == last && s.final })
		}
		if m.Asked && rejects().MatchString(m.Text) {
			list = slices.DeleteFunc(list, func(s sentence) bool { return s.turn == m.Turn-1 && !s.wrote && !s.asked && !s.commit })
		}
		said, context := m.units()
		for n, u := range said {
			text := u.text
			s := sentence{
				text: text, nth: u.nth, terms: terms(text), words: count(text), turn: m.Turn, final: m.Final, wrote: m.Wrote, commit: m.Commit, asked: m.Asked, context: context, first: n == 0, after: after,
				result: results().MatchString(text), reason: reasons().MatchString(text), cause: causes().MatchString(text) || m.Asked && needs().MatchString(text),
				plan: plans().MatchString(text), left: count(text) > 3 && open().MatchString(text), back: strings.Contains(strings.ToLower(text), "reverted"),
				test: tests < len(files) && strings.Contains(strings.ToLower(text), "test"), names: strings.Count(text, "`") / 2,
			}
			for _, name := range names {
				s.names += points(strings.Contains(text, name), 1)
			}
			list = append(list, s)
		}
	}
	return withoutTakenBack(list)
}

// units returns the sentences of a message. Of a plan they are its context.
func (m Message) units() (list []unit, context bool) {
	text := m.Text
	if m.Commit {
		return message(text), false
	}
	if context = m.Asked && contexts().MatchString(text); context {
		text, _, _ = strings.Cut(contexts().Split(text, 2)[1], "\n#")
	}
	if list = units(text); m.Asked {
		list = list[:min(len(list), maxAsked)]
	}
	return list, context
}

// undoes reports whether a message says that its turn reverts an earlier change.
func undoes(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "revert my change") || strings.Contains(text, "undo my change")
}

// withoutTakenBack leaves out sentences that a later one takes back.
func withoutTakenBack(list []sentence) []sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool {
		return slices.ContainsFunc(list, func(later sentence) bool {
			return later.turn > s.turn && later.back && !s.back && share(s.terms, later.terms) >= 0.5
		})
	})
}

// Expressions that classify a sentence.
var (
	results  = lazy(`(?i)\b(add|fix|remov|delet|chang|renam|replac|mov|updat|creat|implement|extract|refactor|switch|dropp|merg|revert|restor|wir|resolv|introduc|convert|simplifi|document|clear|unifi|consolidat|inlin|export|address|improv|enabl|disabl|correct|extend|rebas|cherry-pick)(ed|es)\b|\b(adds|now|no longer|built|rebuilt|wrote|rewrote|made|kept|set up|split)\b`)
	reasons  = lazy(`(?i)\b(because|root cause|since|instead|rather than|without|no longer|missing|unused|redundant|wrong|never|consisten(t|cy)|decided|chose|kept|needs?|only|\w+n't|so that|rationale|so (an?|the|it|we|that|they|users?)|otherwise|due to|caus(e[sd]?|ing)|the (issue|problem|bug|reason|fix|key|risk)|(prevent|avoid|ensur)(s|ed|es|ing)?|which (would|means?|meant)|(in order )?to (avoid|prevent|make sure|ensure|keep)|would (have|be|fail|break|never|not)|turned out|must|bug|unnecessary|simpler)\b`)
	causes   = lazy(`(?i)\b(because|so that|so (an?|the|it|that|they|users?)|due to|caus(e[sd]?|ing)|the (issue|problem|bug|reason|goal|risk)|prevent(s|ed|ing)?|avoid(s|ed|ing)?|ensures?|(which|this) (would|means?|meant)|would (have|fail|break|never|not)|turned out|unused|redundant)\b|\bsince [a-z\x60]|\b(problem|cause|reason|rationale|risk)s?:`)
	needs    = lazy(`(?i)(^(currently|right now)|\b(no way to|mislead(s|ing)?|false positives?|hard(er)? to|ha(s|ve) no|leads? to|risks?|vulnerable|silently|crash(es|ed)|inconsisten(t|cy)|(it|that|this|which|they) fail(s|ed)?|failing|broken|bug|missing|lacks?|(does|did|is|was|ca)n't|never))\b`)
	contexts = lazy(`(?im)^#+ +(\d+\.? *)?(context|background|motivation|rationale|why|root cause|(the )?(problem|issue|bug))\b.*$`)
	rejects  = lazy(`(?i)^(no[, ]|wrong|(that|this|you)('s|'re| is| are) (wrong|not (correct|right|true)|incorrect))`)
	plans    = lazy(`(?i)^if |\b(should|possible|outcomes|responses|could|would (be|like)|recommend|propos(e|al)|suggest|shall|options?|alternatives?|approaches|pros|cons|might|maybe|probably|plan|verification)\b`)
	open     = lazy(`(?i)\b(not (yet|run|tested|done|covered|implemented|supported)|not yet|todo|remain(s|ing)?|still (needs?|fails?|missing)|follow-up|next step|blocked|pre-existing|limitation|left (to do|out|as)|skipped|rejected|decided against|on purpose|deliberately|intentional(ly)?|fail(s|ing)?|reverted)\b`)
)

// lazy compiles an expression when it is used first.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func points(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// terms returns the words of a text with at least five letters, in the singular.
func terms(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 4 {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}

// share returns the share of a text's terms that another text also has.
func share(terms, other map[string]bool) float64 {
	n := 0
	for term := range terms {
		n += points(other[term], 1)
	}
	return float64(n) / float64(max(1, len(terms)))
}

// count counts the words of a text. In a script without spaces two characters are a word.
func count(text string) int {
	n := 0
	for _, r := range text {
		n += points(unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana), 1)
	}
	return len(strings.Fields(text)) + n/2
}
