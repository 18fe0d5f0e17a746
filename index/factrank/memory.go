package factrank

import (
	"math"
	"slices"
)

// A Matcher knows the facts of a memory. Any number of goroutines may use it.
type Matcher struct {
	weights Weights
	vocab   *vocabulary
	facts   []*fact
	found   [][]int32   // numbers of the facts that hold a term
	usual   float64     // length of a fact, in terms
	idf     []float64   // of terms
	held    [64]float64 // how much all facts are about each concept
	rare    [64]float64 // of concepts
	kinds   []float64   // rarity of kinds
	senses  []float64   // rarity of senses
}

// New prepares a matcher for the facts of a memory.
func New(facts []Fact) *Matcher { return Default().New(facts) }

// New prepares a matcher that weighs so.
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

// post notes which facts hold a term.
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

// rarity is 0 for what all facts have, and nearly 1 for what one of very many has.
func (m *Matcher) rarity(k float64) float64 {
	n := float64(len(m.facts))
	return math.Log(1+(n-k+0.5)/(k+0.5)) / math.Log(1+(n+0.5)/0.5)
}
