package consolidate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// Least closeness, chosen on the pairs in close_test.go. There Close finds 35 of 40 pairs
// that contradict or restate each other, and 3 of 40 pairs that hold next to each other. Of
// 800 facts of ten repositories in testdata/facts, 26 have one that is close to them.
const (
	leastClose = 0.6  // a person who states one fact should see the other
	leastClash = 0.75 // at most one of the two is probably right
)

// CloseFact is a fact that is about the same thing as another one.
type CloseFact struct {
	At    int      // its index
	Score float64  // how close it is
	Words []string // that both have, in alphabetical order
	// Differs says that one of them negates such a word, or has another value.
	Differs bool
}

// Close returns the texts that are about the same thing as the given text: they may repeat or
// contradict it, so a person who states it should see them. The closest come first. It compares
// words, and uses no model.
func Close(text string, texts []string) (list []CloseFact) {
	f := readSubject(text)
	for i, other := range texts {
		g := readSubject(other)
		if score := f.closeness(g); score >= leastClose {
			list = append(list, CloseFact{i, score, f.common(g), f.differs(g)})
		}
	}
	slices.SortStableFunc(list, func(a, b CloseFact) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// Limits of the facts with which each one is compared if all are.
const (
	maxRarest = 5  // words with which others are looked up
	maxClose  = 20 // maximum number of other facts
)

// Clash is a pair of facts about the same thing.
type Clash struct {
	A, B  int      // indexes, A the smaller
	Words []string // that both have, in alphabetical order
	Same  bool     // they say the same; otherwise at most one of them is probably right
	// Differs says that one of them negates a word that both have, or has another value.
	Differs bool
}

// Clashes returns the pairs of texts that are so close that one of the two is probably
// superfluous. It takes time nearly linear in the number of texts.
func Clashes(texts []string) []Clash {
	subjects := make([]subject, len(texts))
	for i, text := range texts {
		subjects[i] = readSubject(text)
	}
	return clashes(subjects)
}

func clashes(subjects []subject) (list []Clash) {
	frequency := map[string]int{}
	for _, f := range subjects {
		for _, w := range f.words {
			frequency[w.stem]++
		}
	}
	holders := map[string][]int{}
	for i, f := range subjects {
		var compared []int // at most maxClose
		for _, w := range f.rarest(frequency) {
			for _, k := range holders[w] {
				if len(compared) == maxClose || slices.Contains(compared, k) {
					continue
				}
				compared = append(compared, k)
				if f.closeness(subjects[k]) >= leastClash {
					list = append(list, Clash{k, i, f.common(subjects[k]), f.same(subjects[k]), f.differs(subjects[k])})
				}
			}
			holders[w] = append(holders[w], i)
		}
	}
	return list
}

// subject holds the words that a fact is about.
type subject struct {
	words  []subjectWord // sorted by their stems
	sum    float64       // of their weights
	turned []string      // sorted stems of the words that the fact negates, or says have ended
	values string        // kinds of values in it
}

// subjectWord is a content word of a fact.
type subjectWord struct {
	stem, spelt string
	weight      float64
}

// ending are words that say that a thing has ended, or that another one replaces it.
var ending = set("dropped gone removed longer moved deprecated discouraged optional replaced retired too stopped abandoned fine")

// carrier are words that occur in facts about any subject.
var carrier = set("use used using run runs write written keep go live lives need needs want make sure put set get prefer way thing called belong belongs happen happens come through")

// Weights of words: a rare word shows the subject of a fact, a value its statement.
const (
	rareWord   = 1
	commonWord = 0.6
	valueWord  = 0.4
)

func readSubject(text string) subject { return subjectOf(wordsOf(text)) }

func subjectOf(list []string) subject {
	var f subject
	said, turn := "", false // the last content word; the next one is negated
	for _, w := range list {
		stem := words.Stem(w)
		f.values += valueKind(w)
		switch {
		case ending[w]:
			f.turned, turn = append(f.turned, said), true
		case negates[w]:
			turn = true
		case !carrier[w] && !words.IsStopword(w):
			f.words = append(f.words, subjectWord{stem, w, weightOf(w)})
			if turn {
				f.turned = append(f.turned, stem)
			}
			said, turn = stem, false
		}
	}
	return f.sorted()
}

// sorted returns the subject with its words in order, each as it is spelt first.
func (f subject) sorted() subject {
	slices.SortStableFunc(f.words, func(a, b subjectWord) int { return strings.Compare(a.stem, b.stem) })
	f.words = slices.CompactFunc(f.words, func(a, b subjectWord) bool { return a.stem == b.stem })
	slices.Sort(f.turned)
	f.turned = slices.Compact(f.turned)
	for _, w := range f.words {
		f.sum += w.weight
	}
	return f
}

// shared yields the words that two facts have in common, as the first one spells them.
func (f subject) shared(g subject) iter.Seq[subjectWord] {
	return func(yield func(subjectWord) bool) {
		for a, b := f.words, g.words; len(a) > 0 && len(b) > 0; {
			switch order := strings.Compare(a[0].stem, b[0].stem); {
			case order < 0:
				a = a[1:]
			case order > 0:
				b = b[1:]
			case !yield(a[0]):
				return
			default:
				a, b = a[1:], b[1:]
			}
		}
	}
}

// common returns the words that two facts have in common, in alphabetical order.
func (f subject) common(g subject) (list []string) {
	for w := range f.shared(g) {
		list = append(list, w.spelt)
	}
	slices.Sort(list)
	return list
}

func (f subject) turnsWord(stem string) bool {
	_, turned := slices.BinarySearch(f.turned, stem)
	return turned
}

func weightOf(word string) float64 {
	switch {
	case valueKind(word) != "":
		return valueWord
	case words.IsCommonplace(word):
		return commonWord
	}
	return rareWord
}

// weekdays in English and German.
var weekdays = set("monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag")

// valueKind returns the kind of value that a word is, a number or a day of the week, or "" for
// other words.
func valueKind(w string) string {
	switch {
	case strings.ContainsAny(w, "0123456789"):
		return "n"
	case weekdays[strings.TrimSuffix(w, "s")]:
		return "d"
	}
	return ""
}

// The parts of closeness: the share of common words, mostly of the shorter fact, and more if
// one of the facts negates such a word or both have values of a kind.
const (
	shorter   = 0.75
	forTurned = 0.25
	forValues = 0.15
)

// closeness returns how close the subjects of two facts are.
func (f subject) closeness(g subject) (score float64) {
	shared := 0.0
	for w := range f.shared(g) {
		shared += w.weight
	}
	if shared == 0 {
		return 0
	}
	score = shared / (shorter*min(f.sum, g.sum) + (1-shorter)*max(f.sum, g.sum))
	if f.turns(g) {
		score += forTurned
	}
	if f.values != "" && f.values == g.values {
		score += forValues
	}
	return score
}

// turns reports whether one of two facts negates a word that both have.
func (f subject) turns(g subject) bool {
	if len(f.turned)+len(g.turned) == 0 {
		return false
	}
	for w := range f.shared(g) {
		if f.turnsWord(w.stem) != g.turnsWord(w.stem) {
			return true
		}
	}
	return false
}

// differs reports whether two facts about one subject make different statements.
func (f subject) differs(g subject) bool {
	other := func(f, g subject) bool {
		return slices.ContainsFunc(f.words, func(w subjectWord) bool { return w.weight == valueWord && !g.has(w.stem) })
	}
	return f.turns(g) || f.values != "" && g.values != "" && (other(f, g) || other(g, f))
}

// same reports whether two facts have the same words, and negate the same ones.
func (f subject) same(g subject) bool {
	return slices.EqualFunc(f.words, g.words, func(a, b subjectWord) bool { return a.stem == b.stem && a.weight == b.weight }) && slices.Equal(f.turned, g.turned)
}

func (f subject) has(stem string) bool {
	_, found := slices.BinarySearchFunc(f.words, stem, func(w subjectWord, stem string) int { return strings.Compare(w.stem, stem) })
	return found
}

// rarest returns the words of the fact with which others are looked up, rarest first.
func (f subject) rarest(frequency map[string]int) (list []string) {
	for _, w := range f.words {
		if frequency[w.stem] <= maxCommon {
			list = append(list, w.stem)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(frequency[a]-frequency[b], strings.Compare(a, b)) })
	return list[:min(len(list), maxRarest)]
}
