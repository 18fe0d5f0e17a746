package words

import (
	"slices"
	"strings"
)

// Stopwords lists English function words, which say nothing about the subject
// of a text, and the remains of contractions. The local embedder's identity
// includes the list, so a change of it rebuilds all its vectors.
const Stopwords = `a about above after again against all also am an and any are aren as at be because been before being
	below between both but by can cannot could couldn d did didn do does doesn doing don done down during each few for from
	further get gets got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn
	it its itself just let like ll m me might more most must my myself no nor not of off on once only or other ought our ours
	ourselves out over own please re s same shall she should shouldn so some such t than that the their theirs them
	themselves then there these they this those through to too under until up us ve very was wasn we were weren what when
	where which while who whom why will with won would wouldn you your yours yourself yourselves`

var stopwords = Set(Stopwords)

// IsStopword reports whether a lower-cased word is one of Stopwords.
func IsStopword(word string) bool { return stopwords[word] }

// chatter lists words that address an agent and say nothing about a task.
var chatter = Set("again continue hello hi know ok okay proceed retry tell thank thanks yes")

// IsChatter reports whether a lower-cased word addresses an agent and says
// nothing about a task.
func IsChatter(word string) bool { return chatter[word] }

// WithoutChatter removes the words that only address an agent, unless there are
// no others.
func WithoutChatter(tokens []Token) []Token {
	rest := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool { return chatter[t.Text] })
	if len(rest) == 0 {
		return tokens
	}
	return rest
}

// Set returns the set of the words in a space-separated list.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// asking lists the English words that questions begin with.
var asking = Set("are can could did do does had has have how is may should was were what when where which who whom whose why will would")

// IsQuestion reports whether the first line of a text is a question: it ends
// with a question mark, or begins with an English word that questions begin
// with.
func IsQuestion(text string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	first, _, _ := strings.Cut(strings.ToLower(line), " ")
	return strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") || asking[first]
}
