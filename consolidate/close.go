package consolidate

import (
	"cmp"
	"maps"
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
		if score, common := f.closeness(g); score >= leastClose {
			list = append(list, CloseFact{i, score, common, f.differs(g)})
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
		for w := range f.weight {
			frequency[w]++
		}
	}
	holders := map[string][]int{}
	for i, f := range subjects {
		compared := map[int]bool{}
		for _, w := range f.rarest(frequency) {
			for _, k := range holders[w] {
				if compared[k] || len(compared) == maxClose {
					continue
				}
				compared[k] = true
				if score, common := f.closeness(subjects[k]); score >= leastClash {
					list = append(list, Clash{k, i, common, f.same(subjects[k]), f.differs(subjects[k])})
				}
			}
			holders[w] = append(holders[w], i)
		}
	}
	return list
}

// subject holds the words that a fact is about.
type subject struct {
	weight map[string]float64 // of the content words, by their stems
	sum    float64
	turned map[string]bool // words that the fact negates, or says have ended
	spelt  map[string]string
	values string // kinds of values in it
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
	f := subject{weight: map[string]float64{}, turned: map[string]bool{}, spelt: map[string]string{}}
	said, turn := "", false // the last content word; the next one is negated
	for _, w := range list {
		stem := words.Stem(w)
		f.values += valueKind(w)
		switch {
		case ending[w]:
			f.turned[said], turn = true, true
		case negates[w]:
			turn = true
		case !carrier[w] && !words.IsStopword(w):
			if f.weight[stem] == 0 {
				f.weight[stem], f.spelt[stem] = weightOf(w), w
				f.sum += f.weight[stem]
			}
			if turn {
				f.turned[stem] = true
			}
			said, turn = stem, false
		}
	}
	return f
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

// closeness returns how close the subjects of two facts are, and their common words.
func (f subject) closeness(g subject) (score float64, common []string) {
	shared := 0.0
	for w, weight := range f.weight {
		if g.weight[w] == 0 {
			continue
		}
		common = append(common, f.spelt[w])
		shared += weight
	}
	if shared == 0 {
		return 0, nil
	}
	score = shared / (shorter*min(f.sum, g.sum) + (1-shorter)*max(f.sum, g.sum))
	if f.turns(g) {
		score += forTurned
	}
	if f.values != "" && f.values == g.values {
		score += forValues
	}
	slices.Sort(common)
	return score, common
}

// turns reports whether one of two facts negates a word that both have.
func (f subject) turns(g subject) bool {
	for w := range f.weight {
		if g.weight[w] != 0 && f.turned[w] != g.turned[w] {
			return true
		}
	}
	return false
}

// differs reports whether two facts about one subject make different statements.
func (f subject) differs(g subject) bool {
	other := func(f, g subject) bool {
		for w, weight := range f.weight {
			if weight == valueWord && g.weight[w] == 0 {
				return true
			}
		}
		return false
	}
	return f.turns(g) || f.values != "" && g.values != "" && (other(f, g) || other(g, f))
}

// same reports whether two facts have the same words, and negate the same ones.
func (f subject) same(g subject) bool {
	return maps.Equal(f.weight, g.weight) && maps.Equal(f.turned, g.turned)
}

// rarest returns the words of the fact with which others are looked up, rarest first.
func (f subject) rarest(frequency map[string]int) (list []string) {
	for w := range f.weight {
		if frequency[w] <= maxCommon {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(frequency[a]-frequency[b], strings.Compare(a, b)) })
	return list[:min(len(list), maxRarest)]
}
