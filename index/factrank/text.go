package factrank

import (
	"math/bits"
	"slices"

	"agentflow/internal/words"
)

// word holds the data of one form of a word.
type word struct {
	meaning
	stem    string
	term    int32 // number of the stem, or idle or unknown
	telling bool  // not common in software projects
}

const (
	idle    = -1 // a function word
	unknown = -2 // a word that no fact has
)

// classify looks a word up in the tables.
func classify(token string) *word {
	w := &word{stem: words.Stem(token), term: unknown}
	w.meaning = table().of(token, w.stem)
	if len(token) < 2 || words.IsStopword(token) || words.IsChatter(token) || foreignStop[token] {
		w.term = idle
	}
	w.telling = !words.IsCommonplace(token) && !words.IsNumber(token)
	return w
}

// foreignStop holds German, French and Spanish function words.
var foreignStop = words.Set(`der die das den dem des ein eine einen einem einer und oder ist sind war nicht mit von zu zum zur im am auf
	fur bei aus nach wie wir ihr sie es ich du man auch nur noch wird werden kann bitte sich als dass wenn aber alle
	le la les un une des du de et ou est sont dans sur pour par avec sans que qui ce cette ces il elle nous vous ne pas plus au aux en se son sa ses on
	el los las una unos y o es son del al por para con sin que se lo su sus no si como mas pero este esta`)

// vocabulary numbers the stems of the facts of a memory.
type vocabulary struct {
	words  map[string]*word
	terms  map[string]int32
	stems  []string
	starts map[string][]int32 // terms by their first letters
}

// startLen counts the shared first letters of related words.
const startLen = 5

// perFact is the approximate number of new words per fact.
const perFact = 6

func newVocabulary(facts int) *vocabulary {
	return &vocabulary{words: make(map[string]*word, facts*perFact), terms: make(map[string]int32, facts*perFact), starts: make(map[string][]int32, facts*perFact)}
}

// look returns the entry of a word without adding it.
func (v *vocabulary) look(token string) *word {
	w, ok := v.words[token]
	if !ok {
		w = classify(token)
		if term, known := v.terms[w.stem]; known && w.term != idle {
			w.term = term
		}
	}
	return w
}

// learn is look for a word of a fact: it adds the word and numbers its stem.
func (v *vocabulary) learn(token string) *word {
	w, ok := v.words[token]
	if !ok {
		if w = classify(token); w.term != idle {
			w.term = v.number(w.stem)
		}
		v.words[token] = w
	}
	return w
}

func (v *vocabulary) number(stem string) int32 {
	term, ok := v.terms[stem]
	if !ok {
		term = int32(len(v.stems))
		v.terms[stem] = term
		v.stems = append(v.stems, stem)
		if len(stem) >= startLen {
			v.starts[stem[:startLen]] = append(v.starts[stem[:startLen]], term)
		}
	}
	return term
}

// mark describes a term of a text.
type mark uint8

const (
	telling mark = 1 << iota // not common in software projects
	isName                   // an identifier or path
)

// text is an analysed text.
type text struct {
	terms   []int32    // distinct known terms, in order of first appearance
	marks   []mark     // for each of terms
	strange []string   // distinct telling stems that no fact has
	follows [][2]int32 // neighbouring terms
	count   int        // of words
	tech    int        // distinct names of technologies
	alien   int        // of tech, those that no fact has
	common  int        // of count, those that are common in software projects
	hits    [64]uint16 // distinct words of each concept
	kinds   set
	acts    set
	senses  wide
	last    int32 // 1 plus the last term; at most 0 if there is none
}

// read analyses a text; see returns the entry of a word.
func read(s string, see func(token string) *word) *text {
	t, _ := readHead(s, 0, see)
	return t
}

// readHead is read, and also analyses the first bytes of the text as head.
func readHead(s string, first int, see func(token string) *word) (whole, head *text) {
	whole, head = &text{}, &text{}
	tokens := words.Scan(s)
	whole.grow(len(tokens))
	for _, token := range tokens {
		w := see(token.Text)
		whole.take(w, token.Named)
		if token.To <= first && token.To > 0 {
			head.take(w, token.Named)
		}
	}
	return whole, head
}

// grow makes room for n words.
func (t *text) grow(n int) {
	t.terms, t.marks, t.follows = make([]int32, 0, n), make([]mark, 0, n), make([][2]int32, 0, n)
}

// take adds a word.
func (t *text) take(w *word, named bool) {
	t.kinds |= w.kinds
	t.acts |= w.acts
	if w.term == idle {
		return
	}
	t.add(w, named)
	if t.last > 0 && w.term >= 0 {
		t.follows = append(t.follows, [2]int32{t.last - 1, w.term})
	}
	t.last = w.term + 1
}

// add adds a word that is not a function word.
func (t *text) add(w *word, named bool) {
	t.count++
	if !w.telling || w.concepts != 0 {
		t.common++
	}
	switch {
	case w.term == unknown:
		if !w.telling || slices.Contains(t.strange, w.stem) {
			return
		}
		t.strange = append(t.strange, w.stem)
		if w.tech {
			t.alien++
		}
	case slices.Contains(t.terms, w.term):
		return
	default:
		t.terms = append(t.terms, w.term)
		t.marks = append(t.marks, w.mark(named))
	}
	if w.tech {
		t.tech++
	}
	t.senses.add(w.senses)
	for s := w.concepts; s != 0; s &= s - 1 {
		t.hits[bits.TrailingZeros64(uint64(s))]++
	}
}

// mark returns the mark of a word; named means that it is an identifier or
// path.
func (w *word) mark(named bool) (m mark) {
	if w.telling {
		m = telling
	}
	if named {
		m |= isName
	}
	return m
}

// strengths returns how much a text is about each concept, 0 to 1. Concepts
// that also occur in more count more.
func (t *text) strengths(more *text) (list [64]float64) {
	best := 0.0
	for c, n := range t.hits {
		list[c] = float64(n)
		if more != nil && more.hits[c] > 0 {
			list[c] += 1.5
		}
		best = max(best, list[c])
	}
	for c, n := range list {
		if n > 0 {
			list[c] = 0.5*min(1, n/2) + 0.5*n/best
		}
	}
	return list
}
