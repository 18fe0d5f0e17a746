// Package propose finds, in what a person typed to an agent, the sentences
// that correct the agent for good: "No, we never put that in main", "always use pnpm
// here", "don't use npm, use pnpm". A person decides later which of them become facts.
//
// Guarantees: questions, slash commands, quoted text, code and logs propose nothing, and
// neither does a sentence about the work at hand. It is pure.
//
// Not guaranteed: that every correction is found. A sentence without one of the cues in
// languages is passed over, since a list full of noise is not read.
package propose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/extract"
)

// Prompt is what a person typed.
type Prompt struct {
	Text string
	// Refused is the action that the person refused with these words; empty: none.
	Refused string
	// Task says that the prompt begins the work: its first sentence, where it asks for
	// something and contradicts nothing, is the work itself.
	Task bool
}

// Proposal is a fact that a sentence proposes.
type Proposal struct {
	Text     string // of the fact
	Sentence string // that it comes from, as it was typed
}

// Bounds on prompts and sentences.
const (
	maxProse    = 2000 // bytes of a prompt without code and quotes; more is a document
	minWords    = 2
	maxWords    = 40 // of a sentence
	fewestAgain = 4  // words of an instruction that is counted
)

// Corrections returns a prompt's proposed facts, in its order.
func Corrections(p Prompt) (list []Proposal) {
	first := true
	for s := range ownSentences(p.Text) {
		if corrects(s, first, p.Refused != "") && !(first && p.Task && isWork(s)) {
			list = append(list, Proposal{Text: factOf(s), Sentence: s})
		}
		first = false
	}
	return list
}

// Instructions returns sentences of a prompt that ask for something and would say the same
// in another session. One that comes back in several sessions is worth a fact.
func Instructions(text string) (list []string) {
	for s := range ownSentences(text) {
		rest, _ := withoutLead(s)
		if len(strings.Fields(rest)) >= fewestAgain && orders(rest) && !oneOff(s) {
			list = append(list, factOf(s))
		}
	}
	return list
}

// ownSentences yields the sentences of a prompt that a person wrote themselves and that are long
// enough to say something.
func ownSentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		prose := prose(text)
		if len(prose) > maxProse {
			return
		}
		for s := range extract.Sentences(prose) {
			s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "- "), "* "))
			n := len(strings.Fields(s))
			if n < minWords || n > maxWords || strings.Count(s, `"`)%2 != 0 || strings.HasSuffix(s, ":") {
				continue
			}
			if !yield(s) {
				return
			}
		}
	}
}

// corrects reports whether a sentence of a prompt says how things are done from now on.
// first: no other sentence comes before it. refused: it says why an action was refused.
func corrects(s string, first, refused bool) bool {
	bare := withoutQuotes(s)
	rest, lead := withoutLead(bare)
	if oneOff(bare) || len(strings.Fields(rest)) < minWords {
		return false
	}
	found := false
	for _, l := range languages() {
		if l.excluded.is(rest) {
			return false
		}
		clear := !l.unnamed.is(rest)
		found = found || l.rule.is(rest) || refused && clear && l.refusal.is(rest) || (first || lead) && clear && l.contrast.is(rest)
	}
	return found
}

// oneOff reports whether a sentence is about the work at hand.
func oneOff(s string) bool {
	if extract.OneOff(s) != "" || strings.HasSuffix(s, "？") {
		return true
	}
	for _, l := range languages() {
		if l.forNow.is(s) {
			return true
		}
	}
	return false
}

// isWork reports whether the first sentence of a task asks for the work itself.
func isWork(s string) bool {
	rest, refuses := withoutLead(s)
	return !refuses && orders(rest)
}

// orders reports whether a sentence begins as one that asks for something.
func orders(s string) bool {
	for _, l := range languages() {
		if l.order.is(s) {
			return true
		}
	}
	return false
}

// withoutLead drops a sentence's words that only introduce it, such as "No, " and
// "please"; refuses reports that one of them says no.
func withoutLead(s string) (rest string, refuses bool) {
	rest = strings.TrimSpace(s)
	for again := true; again; {
		again = false
		for _, l := range languages() {
			if at := l.no.at(rest); at > 0 {
				rest, refuses, again = rest[at:], true, true
			}
			if at := l.lead.at(rest); at > 0 {
				rest, again = rest[at:], true
			}
		}
	}
	return rest, refuses
}

// factOf makes a sentence a fact.
func factOf(s string) string {
	rest, _ := withoutLead(s)
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}
