package factrank

import (
	"math"
	"slices"
)

// A Matcher holds the facts of a memory. Any number of goroutines may use it.
type Matcher struct {
	weights Weights
	vocab   *vocabulary
	facts   []*fact
	found   [][]int32   // for each term the indexes of the facts that hold it
	usual   float64     // mean length of a fact, in terms
	idf     []float64   // rarity of each term
	held    [64]float64 // sum over all facts of their strength in each concept
	rare    [64]float64 // rarity of each concept
	kinds   []float64   // rarity of each kind
	senses  []float64   // rarity of each sense
}

// New prepares a matcher for the facts of a memory.
func New(facts []Fact) *Matcher { return Default().New(facts) }

// New prepares a matcher with these weights.
func (w *Weights) New(facts []Fact) *Matcher {
	m := &Matcher{weights: *w, vocab: newVocabulary(len(facts))}
	for _, f := range facts {
		m.facts = append(m.facts, newFact(f, m.vocab))
	}
	m.post()
	m.tally()
	c := newCollector()
	for _, f := range m.facts {
		for i, term := range f.terms {
			f.mass += m.idf[term] * one(f.marks[i]&telling != 0)
		}
		f.fixed = m.fixed(f, c)
	}
	return m
}

// post records which facts hold each term.
func (m *Matcher) post() {
	m.found = make([][]int32, len(m.vocab.stems))
	for i, f := range m.facts {
		for _, term := range f.terms {
			m.found[term] = append(m.found[term], int32(i))
		}
		for _, term := range f.scope.terms {
			if !slices.Contains(f.terms, term) {
				m.found[term] = append(m.found[term], int32(i))
			}
		}
		m.usual += float64(len(f.terms)) / float64(len(m.facts))
	}
	for _, in := range m.found {
		m.idf = append(m.idf, m.rarity(float64(len(in))))
	}
}

// tally counts concepts, kinds and senses.
func (m *Matcher) tally() {
	m.kinds, m.senses = make([]float64, len(kinds())), make([]float64, table().senses)
	for _, f := range m.facts {
		for _, c := range f.topics {
			m.held[c] += f.about[c]
		}
		for k := range f.kinds.list() {
			m.kinds[k]++
		}
		for s := range f.senses.list() {
			m.senses[s]++
		}
	}
	for c, n := range m.held {
		m.rare[c] = m.rarity(n)
	}
	for _, list := range [][]float64{m.kinds, m.senses} {
		for i, n := range list {
			list[i] = m.rarity(n)
		}
	}
}

// rarity returns a number that is near 0 for a feature that all facts have, and
// near 1 for a feature that one of very many facts has.
func (m *Matcher) rarity(k float64) float64 {
	n := float64(len(m.facts))
	return math.Log(1+(n-k+0.5)/(k+0.5)) / math.Log(1+(n+0.5)/0.5)
}
