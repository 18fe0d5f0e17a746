package explain

import (
	"strings"
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
	delivered                   bool // it says what became of the work: pushed, merged, published
	step                        bool // the agent announced this change, and then wrote files
	open                        bool // its turn has no answer, and it is one of its last messages
	answer                      bool // its message answers a question, and no file was written for it
	last                        bool // no tool call follows its message
	before                      bool // a problem that the agent found before the last edits
	unreported                  bool // no message says at the end of its turn what was done
	loose                       bool // it is about something that other text names
	after                       bool // files were written before, in this turn or an earlier one

	result, reason, cause, plan, left, test, back, fault, pending bool
	asked, context                                                bool // the person wrote it; context: to say why a plan is needed
	names                                                         int  // files and identifiers that it names
	asks                                                          int  // its terms that the prompt has
	planned                                                       bool // it is of a plan, see outline
	beyond                                                        bool // it was said after the plan was complete
}

// what rates how well a sentence says what was done; 0: not at all.
func (s sentence) what() int {
	if s.step {
		return points(!isVague(s.text), 1+min(s.names, 2)) // a result says more
	}
	n := points(s.final, 4) + points(s.result, 4) + min(s.names, 2) + points(s.reason, 2) + points(s.first, 1) + points(s.first && s.result && s.words >= 8, 2) + min(s.asks, 2)
	n -= points(!s.wrote, 5) + points(s.fault, 4) + points(s.test, 4) + points(s.plan, 3) + points(s.delivered && s.names < 2, 4) + points(s.words < 4 || s.words < 6 && s.names == 0 && !s.result || s.words > 45, 3)
	n -= points(s.nth > 0 && !s.result && !s.commit && subjectless().MatchString(s.text), 4)
	if s.asked || s.before || s.loose || !s.final && (!s.result || s.pending) || (s.open && !s.cause || s.plan && !s.result) && s.names == 0 {
		return 0
	}
	return n
}

// concludes rates how well a sentence gives the result of a turn that wrote no file; 0: not at all.
func (s sentence) concludes() int {
	if s.asked || s.commit || s.loose || !s.final || !s.reason || s.plan || s.words < 6 || s.words > 45 || s.first && depends(s.text) {
		return 0
	}
	return 1 + points(s.cause, 3) + points(s.result, 1) + min(s.names, 2)
}

// why rates how well a sentence says why; 0: not at all.
func (s sentence) why() int {
	if s.asked || s.loose || !s.reason || s.words < 5 || s.words > 45 || !s.final && !s.unreported && (s.wrote || s.pending) {
		return 0
	}
	return 2 + points(s.cause, 1) + points(theCause().MatchString(s.text), 2) + points(s.final && s.wrote, 3) + points(s.unreported && s.before, 1) + min(s.names, 2) - points(s.plan, 1) - points(s.test, 2)
}

// refers reports whether a sentence refers to the one before it.
func (s sentence) refers() bool {
	if pronoun().MatchString(s.text) || !s.commit && deictic().MatchString(s.text) {
		return !s.commit || s.nth > 0
	}
	if s.step && object().MatchString(s.text) {
		return true
	}
	if s.nth == 0 {
		return !s.commit && answers(s.text)
	}
	return depends(s.text)
}

// pleads rates how well a sentence of the person says why; 0: not at all. The first sentence is
// already the title, and a line of a log is no sentence.
func (s sentence) pleads() int {
	if s.context {
		return points(s.words > 4 && s.words <= maxQuoted, 2)
	}
	said := !vagueRequest().MatchString(s.text) && s.words > 9 && s.words <= maxQuoted && !strings.ContainsAny(s.text, "?=%$→") && unicode.IsLetter([]rune(s.text)[0])
	return points(said && s.asked && s.cause && (s.words > 20 || !s.first), 1)
}

// Of a request, sentences in which its reason is looked for, and words that are quoted.
const maxAsked, maxQuoted = 8, 55

// pronoun finds a word for something that another sentence names.
var pronoun = lazy(`(?i)\b(catch|do|does|did|done|about|with|like|for|by|see|fix(es|ed)?|handles?|supports?|needs?|after|before|from|explains|causes?|covers?|prevents?|mirrors?|confirm(s|ed)?|than) (this|that|these|those)( [—–-]|[.,;:]|$)`)

var (
	// deictic finds the beginning of a sentence about the sentence before it.
	deictic = lazy(`^((This|That)( also| now| then| only| just)* (\w+[^s\W]s|is|was|has|had)|(This|That|These|Those)( also| now| then| only| just)* (are|were|have|will|would|can|could|should|may|might|way))\b`)
	// object finds a step that does not name its object.
	object = lazy(`^\w+( up)? (it|this|them|these|that|those)\b`)
	// subjectless finds a sentence without its subject, which the head of its list names.
	subjectless = lazy(`^(Asserts|Calls|Catches|Checks|Converts|Creates|Displays|Documents|Extracts|Falls|Handles|Includes|Inits|Links|Loads|Reads|Returns|Runs|Saves|Sets|Shows|Simulates|Takes|Tests|Uses|Verifies|Works|Writes)\b`)
	// theCause finds a sentence that is labelled as the cause.
	theCause = lazy(`(?i)^(the )?(actual |real |root )?cause( is)?\b[^.]{0,10}:`)
	// vagueRequest finds a request about something that it does not name.
	vagueRequest = lazy(`(?i)^(consider|please|can|could|you also|also)\b.* (this|it|that|these|them)\b`)
	// loose finds the beginning of a sentence about something that other text names.
	loose = lazy(`^(The (remaining|other|latter|former|above|same|most \w+|(first|second|third|last) (one|is|was))\b|(The|That) (fix|changes?|issue|problem|bug|error|solution|approach|update|catch) (is|are|was|only) (in|at|now|only|minimal|small|simple|trivial|working|a (small|minor|one)|already|manifests?|occurs?|happens?|complete)\b|(The|That) (issue|problem|bug|error) only\b|The (fix|change) (mirrors|matches|follows|uses the same)\b|(Now )?(verify|[Tt]ry|Verify|Restart|Rerun|Run)\b|(Written|Saved|Restructured|Leaving|Worth|Unnecessary|Follows|Prevents|Makes)\b)`)
)
