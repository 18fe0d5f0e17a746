package words

import (
	"slices"
	"strings"
)

// stopwords are the English function words that say nothing about a task.
var stopwords = func() map[string]bool {
	const words = `a about above after again against all also am an and any are aren't as at be because been before being
		below between both but by can cannot could did do does doing done down during each few for from further get gets got
		had has have having he her here hers herself him himself his how i if in into is it its itself just let like me
		might more most must my myself no nor not of off on once only or other ought our ours ourselves out over own please
		same shall she should so some such than that the their theirs them themselves then there these they this those
		through to too under until up us very was we were what when where which while who whom why will with would you your
		yours yourself yourselves ll ve re isn doesn didn don won t s d m`
	m := make(map[string]bool, 200)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}()

// IsStopword says whether a lower-cased word is one of the English function
// words.
func IsStopword(word string) bool { return stopwords[word] }

// talk are words that speak to an agent and say nothing of a task.
var talk = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("again continue hello hi know ok okay proceed retry tell thank thanks yes") {
		m[w] = true
	}
	return m
}()

// IsTalk says whether a lower-cased word speaks to an agent and says nothing of
// a task.
func IsTalk(word string) bool { return talk[word] }

// Content leaves talk out of a query, unless nothing else is there.
func Content(tokens []Token) []Token {
	kept := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool { return talk[t.Text] })
	if len(kept) == 0 {
		return tokens
	}
	return kept
}
