package factrank

import (
	"iter"
	"math/bits"
	"strings"
	"sync"

	"agentflow/internal/words"
)

// set is a set of lines of a table, one bit each.
type set uint64

func (s set) has(i int) bool { return s>>i&1 == 1 }

// list yields the members of the set.
func (s set) list() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

// wide is a set of lines of the table of senses.
type wide [4]uint64

func (s *wide) set(i int) { s[i/64] |= 1 << (i % 64) }

func (s *wide) add(other wide) {
	for i, bits := range other {
		s[i] |= bits
	}
}

// list yields the members of the set.
func (s wide) list() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func (s wide) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// meaning is what the tables record about a word.
type meaning struct {
	concepts, kinds, acts set
	senses                wide
	tech                  bool // it names a language, framework, product or format
}

func (m *meaning) add(other *meaning) {
	if other != nil {
		m.concepts |= other.concepts
		m.kinds |= other.kinds
		m.acts |= other.acts
		m.senses.add(other.senses)
		m.tech = m.tech || other.tech
	}
}

// lexicon holds the words of all tables.
type lexicon struct {
	stems    map[string]*meaning
	prefixes map[string]*meaning
	longest  int // length of the longest prefix
	senses   int // number of senses
}

// table returns the lexicon, which is read once.
var table = sync.OnceValue(func() *lexicon {
	l := &lexicon{stems: map[string]*meaning{}, prefixes: map[string]*meaning{}}
	l.read(conceptTable, func(m *meaning, line int) { m.concepts |= 1 << line })
	l.read(kindTable, func(m *meaning, line int) { m.kinds |= 1 << line })
	l.read(actTable, func(m *meaning, line int) { m.acts |= 1 << line })
	l.read(techTable, func(m *meaning, _ int) { m.tech = true })
	l.senses = l.read(senseTable, func(m *meaning, line int) { m.senses.set(line) })
	return l
})

// read reads a table and returns the number of its lines.
func (l *lexicon) read(table string, note func(m *meaning, line int)) (lines int) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		if _, list, named := strings.Cut(line, ":"); named {
			line = list
		}
		for word := range strings.FieldsSeq(words.Fold(line)) {
			note(l.entry(word), lines)
		}
		lines++
	}
	return lines
}

// entry returns the meaning of a word of a table, for the caller to add to it.
func (l *lexicon) entry(word string) *meaning {
	at := l.stems
	if prefix, ok := strings.CutSuffix(word, "*"); ok {
		word, at = prefix, l.prefixes
		l.longest = max(l.longest, len(word))
	} else {
		word = words.Stem(word)
	}
	if at[word] == nil {
		at[word] = &meaning{}
	}
	return at[word]
}

// of returns the meaning of a lower-cased word with the given stem.
func (l *lexicon) of(word, stem string) (m meaning) {
	m.add(l.stems[stem])
	for n := 2; n <= min(len(word), l.longest); n++ {
		m.add(l.prefixes[word[:n]])
	}
	return m
}

// namesOf returns the names of the lines of a table.
func namesOf(table string) (names []string) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	return names
}

var (
	concepts = sync.OnceValue(func() []string { return namesOf(conceptTable) })
	kinds    = sync.OnceValue(func() []string { return namesOf(kindTable) })
	acts     = sync.OnceValue(func() []string { return namesOf(actTable) })
)

// callsFor returns the concepts that each kind of task calls for.
var callsFor = sync.OnceValue(func() []set { return relate(callTable, kinds()) })

// relate reads a table with a name and concepts on each line, and returns the
// concepts in the order of names.
func relate(table string, names []string) []set {
	list := make([]set, len(names))
	for line := range strings.Lines(strings.TrimSpace(table)) {
		name, of, _ := strings.Cut(line, ":")
		for concept := range strings.FieldsSeq(of) {
			list[number(names, name)] |= 1 << number(concepts(), concept)
		}
	}
	return list
}

// number returns the line of a name. It panics for an unknown name, because the
// tables are constants.
func number(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	panic("factrank: no table has " + name)
}
