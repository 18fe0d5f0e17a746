package explain

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Expressions that classify a sentence.
var (
	results   = lazy(`(?i)\b(add|fix|remov|delet|chang|renam|replac|mov|updat|creat|implement|extract|refactor|switch|dropp|merg|revert|restor|wir|resolv|introduc|convert|simplifi|document|clear|unifi|consolidat|inlin|export|address|improv|enabl|disabl|correct|extend|rebas|cherry-pick)ed\b|\b(adds|now|no longer|built|rebuilt|wrote|rewrote|made|kept|set up|split)\b`)
	passive   = lazy(`(?i)\b(to|should|must|would|will|could|can) be \w+|\b\w+-\w+ed\b`) // not done yet, and well-implemented
	reasons   = lazy(`(?i), so ([a-eg-z]|f[b-z])|\b(because|(silently \w+(s|ed)|(lost|\w+(s|ed)) silently)|ha(s|ve) to|root cause|since|instead|rather than|without|no longer|missing|unused|redundant|wrong|never|consisten(t|cy)|decided|chose|kept|needs?|only|\w+n't|so that|rationale|so (an?|the|it|we|that|they|users?)|otherwise|due to|caus(e[sd]?|ing)|the (actual |real |main |core )?(issue|problem|bug|reason|fix|key|risk)|(prevent|avoid|ensur)(s|ed|es|ing)?|which (would|means?|meant)|(in order )?to (avoid|prevent|make sure|ensure|keep)|would (have|be|fail|break|never|not)|turned out|must|bug|unnecessary|simpler)\b|\b(design|key) decisions?:`)
	causes    = lazy(`(?i), so ([a-eg-z]|f[b-z])|\b(because|so that|so (an?|the|it|that|they|users?)|due to|caus(e[sd]?|ing)|the (actual |real |main |core )?(issue|problem|bug|reason|goal|risk)|(silently \w+(s|ed)|(lost|\w+(s|ed)) silently)|prevent(s|ed|ing)?|avoid(s|ed|ing)?|ensures?|(which|this) (would|means?|meant)|would (have|fail|break|never|not)|turned out|unused|redundant)\b|\bsince (?-i:[a-z\x60]|[A-Z]\w*[A-Z(])|\b(problem|cause|reason|rationale|risk|(design|key) decision)s?:`)
	faults    = lazy(`(?i)^(the )?(root )?(problem|issue|cause|bug|before|previously|error|symptom|why)\b[^.]{0,20}:`) // labels of what was wrong
	needs     = lazy(`(?i)(^(currently|right now)|\b(no way to|mislead(s|ing)?|false positives?|hard(er)? to|ha(s|ve) no|leads? to|risks?|vulnerable|silently|crash(es|ed)|inconsisten(t|cy)|(it|that|this|which|they) fail(s|ed)?|failing|broken|bug|missing|lacks?|(does|did|is|was|ca)n't|never))\b`)
	contexts  = lazy(`(?im)^#+ +(\d+\.? *)?(context|background|motivation|rationale|why|goals?|objective|overview|purpose|summary|root cause|(the )?(problem|issue|bug))\b.*$`)
	rejects   = lazy(`(?i)^(no[, ]|wrong|(that|this|you)('s|'re| is| are) (wrong|not (correct|right|true)|incorrect))`)
	retracts  = lazy(`(?i)\b(remove|drop|revert|undo|restore|put back|bring back|add back|take out|get rid of|instead of|should(n't| not) be)\b`)
	keeps     = lazy(`(?i)\?|^([\w']+,? ){0,2}(not|don't|never|no need|how|why) `) // names taking back, but does not ask for it
	takesBack = lazy(`(?i)^([\w']+,? ){0,3}(roll ?back|undo|revert)( (it|that|this|these|them|those|all|everything|(all |the |your )?(last )?changes?))*\s*([,.;:!?]|$)`)
	plans     = lazy(`(?i)^if |\b(should|possible|outcomes|responses|could|would (be|like)|recommend(ed|ations?)?|propos(e|als?)|suggest(ions?)?|nice to have|would:|likely|shall|options?|alternatives?|approaches|pros|cons|might|maybe|probably|plan|verification)\b`)
	delivers  = lazy(`(?i)^[^?]*(\b(pr|pull request|mr|merge request|issue|ticket|release)\b.{0,60}\b(created|opened|merged|updated|closed|published|ready)\b|\b(created|opened|merged|closed|published|submitted) .{0,40}\b(pr|pull request|merge request|issue|ticket|release)\b|\b(pushed|deployed|merged|published|released|rebased) (to|into|onto)\b|https?://\S+/(pull|issues|merge_requests)/\d+)`)
	// verdict finds the result of a review.
	verdict = lazy(`(?i)^overall,? (this|the|it)\b|^(verdict|overall( assessment)?|conclusion|bottom line|recommendation|tl;?dr|(the )?short answer)\b[^.:]{0,20}[:,—–-]|\b(verdict:|lgtm|(merge|ship) as[- ]is|approved for merge|all agents approved|ready (to merge|for merge|to ship)|approve (as|with|this|the)|approved with|request(ing)? changes|no (critical|major|blocking) (issues?|bugs?|problems?))\b`)
	// process finds sentences about the way of looking, which say nothing about the work.
	process  = lazy(`(?i)^((\w+ ){0,3}agents|i|i've|we) (have |all )?(reviewed|launched|looked|explored|searched|analy[sz]ed)\b[^—:]{0,60}$`)
	problems = lazy(`(?i)(\b(currently|right now|at the moment)\b|\b(unused|outdated|fails|(tests?|builds?|checks?|calls?|it|they) fail|fail as|failing|failures?|broken|missing|(silently \w+(s|ed)|(lost|\w+(s|ed)) silently)|los(e|es|ing)|ignor(es|ing)|to fix|'s \w+ing\b.* instead of|but (it )?(does|do|is|are|can)(n't| not)|so it never|hardcodes?|crash(es)?|wrong(ly)?|incorrect(ly)?|no way)\b|(bug|issue|problem|cause|gap)s?( in .*)? (is|are)\b|\b(bug|issue|problem|cause|gap)s?:|\b(bug|issue|problem|gap)s (that|to)\b|\bis an? (bug|issue|problem|gap)\b)`)
	pending  = lazy(`(?i)\b(remain(s|ing)?|still (needs?|missing)|not yet|todo|left to do)\b`)
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
