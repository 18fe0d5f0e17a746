package extract

import (
	"iter"
	"regexp"
	"strings"
	"sync"

	"agentflow/internal/words"
	"agentflow/memory"
)

// standing returns why a user's sentence is not a wish for later work, such as "always use
// tabs", but for now, such as "now run the tests". It returns "" if the sentence is for later
// work. The signs are English and German. A wish without any of them is lost.
func standing(sentence string) string {
	if why := OneOff(sentence); why != "" {
		return why
	}
	if !lasting().MatchString(withoutNow(sentence)) {
		return "is not said to hold in later work"
	}
	return ""
}

// OneOff returns why a user's sentence is about the current work, asks something, or describes
// the state of things. It returns "" for other sentences. The signs are English and German.
func OneOff(sentence string) string {
	if strings.HasSuffix(strings.TrimSpace(sentence), "?") {
		return "asks something"
	}
	return sign(withoutNow(sentence), forNow())
}

// withoutNow returns a sentence with "always" instead of phrases like "from now on".
func withoutNow(sentence string) string {
	return fromNowOn().ReplaceAllString(strings.TrimSpace(sentence), " always ")
}

// Sentences yields the sentences of a text, each with its punctuation mark.
func Sentences(text string) iter.Seq[string] { return sentences(text) }

// fromNowOn matches phrases for "always" that contain a word for "now".
var fromNowOn = once(`(?i)\b(?:from (?:now|here|today) on(?:wards?)?|from now onwards?|as of (?:now|today)|ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|every once in a while)\b`)

// forNow lists signs that a user's sentence is about the current work, or describes the state
// of things.
var forNow = patterns(
	[2]string{"is about one piece of work", `(?i)\b(?:now|right away|today|tonight|yesterday|tomorrow|for the moment|just this|this (?:time|once|one)|only once|just once|yet|jetzt|gleich|heute|diesmal|dieses Mal|gerade|noch nicht)\b`},
	[2]string{"is about one piece of work", `(?i)\b(?:this|that|these|those|the (?:current|last|previous|next|above|failing|broken|new|other)) (?:files?|functions?|methods?|class|types?|tests?|lines?|bugs?|errors?|typos?|changes?|fix|commits?|pr|mr|pull request|issues?|tickets?|tasks?|steps?|messages?|comments?|variables?|fields?|flags?|runs?|sessions?|patch|diff|warnings?|failures?|ones?)\b`},
	[2]string{"is about one piece of work", `(?i)\b(?:go on|go ahead|carry on|continue|try again|once more|do it|do that|do this|undo|revert|weiter(?:machen)?|mach weiter|nochmal)\b`},
	[2]string{"is about one piece of work", `(?i)\b(?:fix|debug|investigate|look (?:at|into)|find out|repair|behebe|repariere)\b (?:the|this|that|it|my|a|an|den|die|das|diesen|diese|dieses|einen|eine)\b`},
	[2]string{"names a line", `(?i)\b(?:lines?|zeilen?) \d+|\.[a-z]{1,5}:\d+|\bL\d+\b`},
	[2]string{"names one issue or commit", `(?i)(?:^|[\s(])#\d+\b|\b(?:pr|mr|issue|ticket|bug) ?#?\d+\b|\b[0-9a-f]{40}\b|\bcommit [0-9a-f]{7,}\b`},
	[2]string{"describes a passing state", `(?i)\b(?:always|never|still|keeps?|immer|nie) (?:\w+ )?(?:fail(?:s|ed|ing)?|crash\w*|breaks?|broke|breaking|work(?:s|ed)|pass(?:es|ed)|gets?|got|happen(?:s|ed)|return(?:s|ed)|hang(?:s|ing)?|seen|saw|seem(?:s|ed)?|been|heard|knew|understood|was|were|had|schl(?:ä|ae)gt|fehlgeschlagen)\b`},
	[2]string{"describes a passing state", `(?i)\b(?:never ?mind|I (?:like|love) (?:it|that|this|how|what|the way)|like (?:this|that|before)|as always|as usual|wie immer)\b`},
)

// lasting matches signs that a user wants something in later work too.
var lasting = once(`(?i)` + strings.Join([]string{
	`\b(?:always|never|every time|each time|whenever|in (?:the )?future|by default|as a rule|in general|generally|going forward|by convention)\b`,
	`\b(?:before|after|with|on|for|in) (?:every|each|any|all)\b`,
	`\b(?:we|I)(?: (?:really|strongly|usually|much))? (?:prefer|like|love|dislike|hate|expect|favou?r)\b|\b(?:prefer|preferred|preference|favou?r) \w+`,
	`\bwe (?:only |usually |do not |don['’]t )?(?:use|deploy|release|test|name|put|keep|write|run|avoid|follow|call|pin|vendor|format|squash|rebase|merge|document|log|wrap|store|support)\b`,
	`\b(?:our|the|a|my) (?:\w+ )?(?:convention|style|rule|policy|standard|guideline|habit|preference)s?\b|\bhouse style\b`,
	`\b(?:all|every|each|no|any) (?:\w+ ){1,3}(?:should|must|has to|have to|needs? to|may|shall|gets?|is|are|belongs?|goes|go)\b`,
	`\b(?:do not|don['’]t|avoid) (?:use|using|mock|mocking|import|importing|depend|rely|abbreviate|name|write|writing|add|adding|put|commit|push|amend|force|skip|sleep|log|swallow) (?:[^\s]+)`,
	`^(?:please )?(?:use|write|choose|name|keep|put)\b.+\b(?:instead of|rather than|and not|, not|over)\b`,
	`\b(?:remember (?:that|to|this)|keep in mind|bear in mind|make it a habit)\b`,
	`\b(?:immer|nie|niemals|künftig|in Zukunft|zukünftig|jedes Mal|grundsätzlich|standardmäßig|bevorzug\w*|lieber|merk dir|generell|in der Regel|bei jedem|vor jedem|nach jedem)\b`,
}, "|"))

func once(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// scope returns the namespace for which a user's sentence applies, according to its words: the
// branch (memory.BranchNamespace, without a name), all repositories of the user
// (memory.GlobalNamespace), or else the project.
func scope(sentence string) string {
	switch {
	case onBranch().MatchString(sentence):
		return memory.BranchNamespace
	case inAll().MatchString(sentence):
		return memory.GlobalNamespace
	}
	return memory.ProjectNamespace
}

var (
	onBranch = once(`(?i)\b(?:on|for|in|within) (?:this|the current|my|our) (?:\w+ )?branch\b|\b(?:auf|in|für) (?:diesem|diesen|dem aktuellen) (?:branch|zweig)\b`)
	inAll    = once(`(?i)\b(?:in|across|for|on|to) (?:all|every|each|any)(?: one)?(?: of)?(?: (?:my|our|your))? (?:repos?|repositor(?:y|ies)|projects?|codebases?)\b|\bwherever I work\b|\b(?:in|für) (?:allen?|jedem) (?:meinen? |unseren? )?(?:repos?|repositor(?:y|ies)|projekte?n?)\b`)
)

// sentenceEnd matches the end of a sentence. A dot in a name does not end one.
var sentenceEnd = once(`[.!?]+["')\]]*(?:\s+|$)|\n+|;\s`)

// sentenceOf returns the complete sentence of a user's prompts that contains a quote, because
// the text around a quote may reverse its meaning. ok says that there is one. A quote may
// extend over at most two sentences.
func sentenceOf(quote string, asked []string) (sentence string, ok bool) {
	wanted := words.Plain(quote)
	if wanted == "" {
		return "", false
	}
	for _, prompt := range asked {
		var last string
		for s := range sentences(prompt) {
			if strings.Contains(words.Plain(s), wanted) {
				return s, true
			}
			if both := last + " " + s; last != "" && strings.Contains(words.Plain(both), wanted) {
				return both, true
			}
			last = s
		}
	}
	return "", false
}

// sentences yields the sentences of a text, each with its punctuation mark.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for text != "" {
			end := len(text)
			if at := sentenceEnd().FindStringIndex(text); at != nil {
				end = at[1]
			}
			if s := strings.TrimSpace(text[:end]); s != "" && !yield(s) {
				return
			}
			text = text[end:]
		}
	}
}

// refusing matches the words with which a sentence forbids something.
var refusing = once(`(?i)\b(?:never|not|no|none|nothing|nobody|neither|avoid|stop|without|refrain|don['’]?t|nie|niemals|nicht|kein\w*|hate|dislike|instead of|rather than|over|only)\b|n['’]t\b`)

// follows reports whether a fact says the same as a sentence: it shares words with it, and does
// not allow what the sentence forbids.
func follows(fact, sentence string) bool {
	of, in := terms(fact), terms(sentence)
	common := 0
	for t := range of {
		if in[t] {
			common++
		}
	}
	if common == 0 || float64(common) < related*float64(len(of)) {
		return false
	}
	return refusing().MatchString(fact) || !refusing().MatchString(sentence)
}
